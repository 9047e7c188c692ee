// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Names of temporary files and folders, and the removal of those whose process
/// has ended.

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "../sha256.hpp"

namespace mlp::detail {

inline constexpr std::string_view kTemporaryStart = ".mlp-";
inline constexpr std::string_view kTemporaryEnd = ".tmp";
inline constexpr std::string_view kTemporaryFolderEnd = ".folder";
/// Of a folder that has nothing but the old version of a folder, by its name.
inline constexpr std::string_view kOldFolderEnd = ".old";
inline constexpr std::string_view kUnknownMachine = "0";

/// Identifies the processes among which a process number is unique: those of one
/// start of one machine, and of one container. Returns "0" if the system does
/// not tell.
inline std::string machine_of_process() {
  constexpr std::size_t kDigits = 12;
  std::array<char, 128> text{};
  const int descriptor =
      ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::string(kUnknownMachine);
  const ssize_t boot_size = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  if (boot_size <= 0) return std::string(kUnknownMachine);
  std::string name(text.data(), static_cast<std::size_t>(boot_size));
  const ssize_t space_size =
      ::readlink("/proc/self/ns/pid", text.data(), text.size());
  if (space_size <= 0) return std::string(kUnknownMachine);
  name.append(text.data(), static_cast<std::size_t>(space_size));
  return sha256_hex(name).substr(0, kDigits);
}

/// Returns a name for a temporary file of this process: .mlp-MACHINE-PROCESS-
/// TIME.tmp. It is short, so that it fits in every directory that can hold the
/// target. The time distinguishes it from files that a killed process with the
/// same process number left behind.
///
/// \param end  tells what it is; one of the constants above
inline std::string temporary_file_name(std::string_view end = kTemporaryEnd) {
  const auto ticks = std::chrono::system_clock::now().time_since_epoch();
  return std::string(kTemporaryStart) + machine_of_process() + '-' +
         std::to_string(::getpid()) + '-' + std::to_string(ticks.count()) +
         std::string(end);
}

/// The process that a temporary file or folder belongs to.
struct TemporaryOwner {
  std::string_view machine;
  std::string_view end;  ///< what it is
  pid_t process = 0;
};

/// Reads the owner from a file name; returns nothing if it is not the name of a
/// temporary file or folder.
inline std::optional<TemporaryOwner> find_owner(std::string_view name) {
  TemporaryOwner owner;
  for (const auto end : {kTemporaryEnd, kTemporaryFolderEnd, kOldFolderEnd}) {
    if (name.ends_with(end)) owner.end = end;
  }
  if (!name.starts_with(kTemporaryStart) || owner.end.empty()) {
    return std::nullopt;
  }
  name.remove_prefix(kTemporaryStart.size());
  const std::size_t first = name.find('-');
  if (first == name.npos) return std::nullopt;
  const std::size_t second = name.find('-', first + 1);
  if (second == name.npos) return std::nullopt;
  owner.machine = name.substr(0, first);
  const char* const end = name.data() + second;
  const auto parsed =
      std::from_chars(name.data() + first + 1, end, owner.process);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == end;
  if (!is_number || owner.process <= 0) return std::nullopt;
  return owner;
}

/// Tells whether the process that wrote a temporary file has ended.
///
/// Process numbers mean something on this machine and in this container only,
/// and a folder may be shared. The process of another machine or container, or
/// of an earlier start of this machine, is taken for ended if it has not written
/// to the file for a week: a write takes minutes at most.
/// \param machine      of this process
/// \param age_seconds  since the last write to the file
inline bool has_ended(const TemporaryOwner& owner, std::string_view machine,
                      double age_seconds) {
  constexpr double kWeekSeconds = 7.0 * 24.0 * 3600.0;
  if (owner.machine == machine && machine != kUnknownMachine) {
    return ::kill(owner.process, 0) != 0 && errno == ESRCH;
  }
  return age_seconds > kWeekSeconds;
}

/// Returns true for a file with the name of a file, and a folder with the name of a
/// folder. What was taken away is put back only from a folder that no other user
/// can have made or changed.
inline bool is_of_kind(const TemporaryOwner& owner, const struct stat& status) {
  if (owner.end == kTemporaryEnd) return S_ISREG(status.st_mode);
  if (!S_ISDIR(status.st_mode)) return false;
  return owner.end == kTemporaryFolderEnd ||
         (status.st_uid == ::geteuid() &&
          (status.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

/// Returns true for the first call of this process with this folder, in the first
/// thousand folders.
inline bool is_first_visit(const std::string& folder) {
  constexpr std::size_t kMaxFolders = 1000;
  static std::mutex mutex;
  static std::set<std::string> visited;
  const std::lock_guard lock(mutex);
  return visited.size() < kMaxFolders && visited.insert(folder).second;
}

/// Removes the folder of an old version. If there is no other version, the process
/// ended before the new one was in its place, and the old one is put back first.
///
/// \param parent  where both folders are
inline void remove_old_version(const std::filesystem::path& parent,
                               const std::filesystem::path& folder) {
  std::error_code error;
  struct stat status {};
  for (const auto& old : std::filesystem::directory_iterator(folder, error)) {
    const auto target = parent / old.path().filename();
    const bool is_gone =
        ::lstat(target.c_str(), &status) != 0 && errno == ENOENT;
    if (is_gone && std::rename(old.path().c_str(), target.c_str()) != 0) {
      return;
    }
  }
  std::filesystem::remove_all(folder, error);
}

inline void remove_ended(const TemporaryOwner& owner,
                         const std::filesystem::path& folder,
                         const char* name) {
  std::error_code ignored;
  if (owner.end == kOldFolderEnd) {
    remove_old_version(folder, folder / name);
  } else if (owner.end == kTemporaryFolderEnd) {
    std::filesystem::remove_all(folder / name, ignored);
  } else {
    ::unlink((folder / name).c_str());
  }
}

/// Removes the temporary files and folders of processes that have ended from a
/// folder. Errors are ignored, because no caller depends on the removal.
///
/// \param now   the time by the clock that dates the files of the folder, which
///              may be the clock of a file server
/// \cost  A process reads a folder once, and not more than 4096 entries or
///        20 ms of it: a folder of a million files costs no more than an fsync.
inline void remove_ended_files(const std::string& folder,
                               const struct timespec& now) noexcept try {
  constexpr int kMaxEntries = 4096;
  constexpr std::chrono::milliseconds kMaxTime(20);
  if (!is_first_visit(folder)) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()),
                                                    &::closedir);
  if (!entries) return;
  const int descriptor = ::dirfd(entries.get());
  struct stat status {};
  const std::string machine = machine_of_process();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kMaxEntries; ++i) {
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) return;
    if (std::chrono::steady_clock::now() - start > kMaxTime) return;
    const char* const name = entry->d_name;
    const auto owner = find_owner(name);
    if (!owner ||
        ::fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !is_of_kind(*owner, status)) {
      continue;
    }
    const auto age = static_cast<double>(now.tv_sec - status.st_mtim.tv_sec);
    if (!has_ended(*owner, machine, age)) continue;
    remove_ended(*owner, folder, name);
  }
} catch (...) {  // memory has run out
}

}  // namespace mlp::detail
