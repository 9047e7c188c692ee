// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/files/read_file.hpp"
#include "meeting_files.hpp"

namespace mlp::distributed {

/// Checks that only this user can reach the files in a folder.
///
/// \param is_new  this process has just made it with mode 0700
/// \throws ResourceError if another user owns it, or it has another mode
inline void check_is_private(const struct stat& status, uid_t user, bool is_new,
                             const std::string& path) {
  if (status.st_uid != user) {
    throw ResourceError(
        path, "must belong to user " + std::to_string(user) +
                  ", who runs this rank; it belongs to user " +
                  std::to_string(status.st_uid) +
                  "; run all ranks as one user, or remove the folder");
  }
  constexpr mode_t kOwnerOnly = 0700;
  const mode_t mode = status.st_mode & 0777;
  if (mode == kOwnerOnly) return;
  std::array<char, 8> octal{};
  std::snprintf(octal.data(), octal.size(), "%04o", mode);
  const std::string sentence =
      std::string("must have mode 0700; it has ").append(octal.data());
  throw ResourceError(
      path, sentence +
                (is_new ? " although it was made with 0700, so its file system "
                          "has no modes and cannot keep others out; use a "
                          "folder on another file system"
                        : "; remove it; if its mode is the same again, its "
                          "file system has no modes: use a folder on another"));
}

/// The private sub-folder in which the ranks of a group meet.
///
/// All files are reached from one open descriptor of the sub-folder, and no link
/// is followed: a folder or file that somebody else puts in their place is
/// refused and not written to.
class MeetingFolder {
 public:
  /// The longest text that a file may have.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 24;

  /// \param parent  the folder that the user named
  explicit MeetingFolder(std::string parent)
      : parent_path_(std::move(parent)), path_(parent_path_ + '/' + kName) {}

  MeetingFolder(const MeetingFolder&) = delete;
  MeetingFolder& operator=(const MeetingFolder&) = delete;
  ~MeetingFolder() {
    close(folder_);
    close(parent_);
  }

  /// Opens the sub-folder, or opens it again if it was removed.
  ///
  /// \param is_maker  makes it if it is missing
  /// \return true if it was opened by this call; false if it is open already, or
  ///         is missing: see is_open()
  /// \throws ParamError if the parent is not a folder
  /// \throws ResourceError if the sub-folder cannot be made, or is not private
  bool open(bool is_maker) {
    if (parent_ < 0) open_parent();
    if (folder_ >= 0) {
      if (is_in_place()) return false;
      close(folder_);
    }
    constexpr mode_t kOwnerOnly = 0700;
    const bool is_new = is_maker && ::mkdirat(parent_, kName, kOwnerOnly) == 0;
    if (is_maker && !is_new && errno != EEXIST) throw_error("made", errno);
    folder_ = ::openat(parent_, kName,
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder_ < 0) {
      check_is_only_missing(errno);
      return false;
    }
    // The mask of the process may have removed bits. A failure shows next.
    if (is_new) static_cast<void>(::fchmod(folder_, kOwnerOnly));
    struct stat status {};
    if (::fstat(folder_, &status) != 0) throw_error("read", errno);
    check_is_private(status, ::geteuid(), is_new, path_);
    return true;
  }

  [[nodiscard]] bool is_open() const { return folder_ >= 0; }

  /// Returns the content of a file, or nothing if the file is missing.
  ///
  /// \throws ResourceError if it is not a regular file of this user, or too long
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const {
    const int file =
        ::openat(folder_, name.c_str(),
                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
      // A network file system says ESTALE of a file that was replaced.
      if (errno == ENOENT || errno == ESTALE) return std::nullopt;
      if (errno == ELOOP || errno == ENXIO) refuse(name, "a link or a socket");
      mlp::throw_file_error<ResourceError>(path_ + '/' + name, "opened", errno);
    }
    const mlp::DescriptorGuard guard(file);
    struct stat status {};
    if (::fstat(file, &status) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode)) refuse(name, "a pipe, a device or a folder");
    if (status.st_uid != ::geteuid()) refuse(name, "a file of another user");
    if (status.st_size > static_cast<off_t>(kMaxBytes)) {
      refuse(name, "a file of " + std::to_string(status.st_size) + " bytes");
    }
    return read_descriptor<ResourceError>(file, path_ + '/' + name);
  }

  [[nodiscard]] bool has(const std::string& name) const {
    struct stat status {};
    return ::fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  }

  /// Writes a new file and gives it this name, in place of an older file.
  ///
  /// \return false if the sub-folder was removed
  /// \throws ParamError if the text is too long
  /// \throws ResourceError if it cannot be written
  bool write(const std::string& name, const std::string& text) const {
    if (text.size() > kMaxBytes) {
      throw ParamError("a text of a rendezvous must have at most " +
                       std::to_string(kMaxBytes) + " bytes; got " +
                       std::to_string(text.size()) + "; send less");
    }
    // A file half written may be taken for one of a rank that was killed.
    constexpr int kMaxAttempts = 10;
    for (int i = 0; i < kMaxAttempts; ++i) {
      if (try_write(name, text)) return true;
      if (!is_in_place()) return false;
    }
    throw_error("written", EBUSY);
  }

  void remove(const std::string& name) const noexcept {
    static_cast<void>(::unlinkat(folder_, name.c_str(), 0));
  }

  /// Removes the sub-folder if it is empty.
  void remove_folder() const noexcept {
    static_cast<void>(::unlinkat(parent_, kName, AT_REMOVEDIR));
  }

  /// Removes the files that a rank which was killed left half written.
  void remove_temporaries() const {
    for (const std::string& name : names()) {
      if (name.ends_with(kTemporary)) remove(name);
    }
  }

  /// The names of all files.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    const int again =
        ::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const listing = again < 0 ? nullptr : ::fdopendir(again);
    if (listing == nullptr) {
      if (again >= 0) ::close(again);
      return found;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> guard(listing, &::closedir);
    while (const dirent* const entry = ::readdir(listing)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") found.push_back(name);
    }
    return found;
  }

 private:
  static constexpr const char* kName = "mlp-ranks";
  static constexpr const char* kTemporary = ".tmp";

  static void close(int& descriptor) {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
  }

  void open_parent() {
    parent_ = ::open(parent_path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent_ >= 0) return;
    if (errno != ENOENT && errno != ENOTDIR) {
      mlp::throw_file_error<ResourceError>(parent_path_, "opened", errno);
    }
    throw ParamError(
        "a rendezvous needs a folder that exists; " + parent_path_ +
        (errno == ENOENT ? " does not exist" : " is not a folder") +
        "; make the folder, or correct its name");
  }

  /// \return false if the folder or the temporary file was removed
  bool try_write(const std::string& name, const std::string& text) const {
    const std::string temporary = fresh_name() + kTemporary;
    constexpr mode_t kOwnerReadsAndWrites = 0600;
    const int file =
        ::openat(folder_, temporary.c_str(),
                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 kOwnerReadsAndWrites);
    if (file < 0) {
      if (errno == ENOENT || errno == ESTALE) return false;
      throw_error("written", errno);
    }
    try {
      const mlp::DescriptorGuard guard(file);
      mlp::write_fully<ResourceError>(file, text, path_ + '/' + name);
    } catch (...) {
      remove(temporary);
      throw;
    }
    if (::renameat(folder_, temporary.c_str(), folder_, name.c_str()) == 0) {
      return true;
    }
    const int reason = errno;
    remove(temporary);
    if (reason != ENOENT && reason != ESTALE) throw_error("written", reason);
    return false;
  }

  /// True if the open sub-folder still has its name.
  [[nodiscard]] bool is_in_place() const {
    struct stat opened {};
    struct stat named {};
    return ::fstat(folder_, &opened) == 0 &&
           ::fstatat(parent_, kName, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  }

  /// Throws unless the sub-folder could not be opened because it is missing.
  void check_is_only_missing(int reason) const {
    if (reason == ENOENT || reason == ESTALE) return;
    if (reason == ELOOP || reason == ENOTDIR) {
      throw ResourceError(path_,
                          "must be a folder that rank 0 makes; it is a link or "
                          "a file; remove it");
    }
    struct stat status {};
    if (reason == EACCES &&
        ::fstatat(parent_, kName, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      check_is_private(status, ::geteuid(), false, path_);
    }
    throw_error("opened", reason);
  }

  [[noreturn]] void refuse(const std::string& name,
                           const std::string& found) const {
    throw ResourceError(path_ + '/' + name,
                        "must be a regular file of this user of at most " +
                            std::to_string(kMaxBytes) + " bytes; it is " +
                            found + "; remove it");
  }

  [[noreturn]] void throw_error(const char* verb, int reason) const {
    mlp::throw_file_error<ResourceError>(path_, verb, reason);
  }

  std::string parent_path_;
  std::string path_;
  int parent_ = -1;
  int folder_ = -1;
};

}  // namespace mlp::distributed
