// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A new version of a folder, which replaces the old one when it is complete.

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "../error.hpp"
#include "file_replacement.hpp"
#include "read_file.hpp"
#include "temporary_file.hpp"

namespace mlp {

/// Which folder a new one may replace.
struct ReplacedFolder {
  bool may_exist = false;
  std::string marker;  ///< a folder that it must contain; empty: none
};

namespace detail {

/// Returns a path that names a folder itself, also if it is a link.
inline std::string without_last_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// Resolves all links of a folder that exists; of one that does not, only those of
/// the name itself.
inline std::string resolve_folder(const std::string& path, bool exists) {
  if (!exists) return follow_links<ResourceError>(path);
  const std::unique_ptr<char, void (*)(void*)> resolved(
      ::realpath(path.c_str(), nullptr), &::free);
  if (!resolved) throw_write_error<ResourceError>(path, "", errno);
  return resolved.get();
}

/// Returns true if renameat2() failed because the file system or the kernel does
/// not have its flag.
inline bool lacks_rename_flag(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS ||
         error_number == ENOTSUP || error_number == EPERM;
}

/// Renames a folder to the name of another one by two renames, between which the
/// name does not exist.
///
/// \param kept  where the old folder goes; if the second rename fails, it comes
///              back
/// \param name  of the target in messages
inline void swap_by_two_renames(const std::string& part,
                                const std::string& target,
                                const std::string& kept,
                                const std::string& name) {
  if (std::rename(target.c_str(), kept.c_str()) != 0) {
    throw_write_error<ResourceError>(name, "", errno);
  }
  if (std::rename(part.c_str(), target.c_str()) == 0) return;
  const int error_number = errno;
  static_cast<void>(std::rename(kept.c_str(), target.c_str()));
  throw_write_error<ResourceError>(name, "", error_number);
}

}  // namespace detail

/// A new version of a folder. Its files are written to a temporary folder beside
/// the old one, and flushed to the disk; take_place() then exchanges both. The
/// destructor deletes the temporary folder, and what it has.
///
/// If the path is a symbolic link, its target is replaced. An existing folder keeps
/// its permission bits; the process becomes its owner. The first new version in a
/// directory also removes the temporary files and folders of killed processes
/// there. If the file system can exchange two names, readers see the complete old
/// folder or the complete new one. Otherwise the folder is missing for a moment; if
/// the process is killed at that moment, the next replacement in the directory puts
/// the old folder back.
///
/// \tparam FileError  the error of a folder that may not be replaced
template <class FileError>
class FolderReplacement {
 public:
  /// \throws FileError(path, sentence) if the folder exists and may not be
  ///         replaced; ResourceError if the path is a file, or if no folder can be
  ///         created beside it
  FolderReplacement(const std::string& path, const ReplacedFolder& replaced)
      : name_(path) {
    const std::string plain = detail::without_last_slashes(path);
    struct stat status {};
    exists_ = ::stat(plain.c_str(), &status) == 0;
    if (!exists_ && (errno != ENOENT || plain.empty())) {
      detail::throw_write_error<ResourceError>(path, "", errno);
    }
    if (exists_ && !S_ISDIR(status.st_mode)) {
      detail::throw_write_error<ResourceError>(path, "", ENOTDIR);
    }
    mode_ = status.st_mode & kModeBits;
    target_ = detail::resolve_folder(plain, exists_);
    if (exists_) check_replaced(replaced);
    directory_ = detail::directory_of(target_);
    create();
  }

  ~FolderReplacement() {
    std::error_code ignored;
    std::filesystem::remove_all(temporary_, ignored);
    if (!kept_.empty()) detail::remove_old_version(directory_, kept_);
  }

  FolderReplacement(const FolderReplacement&) = delete;
  FolderReplacement& operator=(const FolderReplacement&) = delete;

  /// Writes a new file of the folder, and flushes it to the disk. Folders on the
  /// way to it are made.
  ///
  /// \param file  its path from the folder, without "." and ".."
  /// \throws ResourceError if it exists or cannot be written
  void write(const std::string& file, std::string_view content) {
    constexpr mode_t kNewFileMode = 0666;
    for (std::size_t at = file.find('/'); at != file.npos;
         at = file.find('/', at + 1)) {
      make_folder(temporary_ + '/' + file.substr(0, at));
    }
    const int descriptor = detail::open_retrying(
        temporary_ + '/' + file, O_WRONLY | O_CREAT | O_EXCL, kNewFileMode);
    if (descriptor < 0) {
      detail::throw_write_error<ResourceError>(name_, "", errno);
    }
    const DescriptorGuard guard(descriptor);
    write_fully<ResourceError>(descriptor, content, name_);
    if (sync_retrying(descriptor) != 0) {
      detail::throw_write_error<ResourceError>(name_, "", errno);
    }
  }

  /// Flushes the folders to the disk and gives the new version its name; then
  /// flushes the directory, so that the new version survives a power failure. The
  /// old version is deleted.
  ///
  /// \throws ResourceError; the old version then is as it was. But if the sentence
  ///         says that the directory cannot be synchronised, the new version is in
  ///         place.
  void take_place() {
    // The longest paths first: a folder is flushed after those in it.
    for (const std::string& folder : folders_) {
      detail::sync_directory<ResourceError>(folder, name_);
    }
    detail::sync_directory<ResourceError>(temporary_, name_);
    if (::chmod(temporary_.c_str(), mode_) != 0) {
      detail::throw_write_error<ResourceError>(name_, "", errno);
    }
    if (exists_) {
      exchange();
    } else {
      rename_to_new_name();
    }
    detail::sync_directory<ResourceError>(directory_, name_);
  }

 private:
  static constexpr mode_t kModeBits = 07777;

  void check_replaced(const ReplacedFolder& replaced) const {
    if (!replaced.may_exist) {
      throw FileError(
          name_, "exists; choose another folder, or allow to overwrite it");
    }
    if (replaced.marker.empty()) return;
    std::error_code ignored;
    if (!std::filesystem::is_directory(target_ + '/' + replaced.marker,
                                       ignored)) {
      throw FileError(name_,
                      "exists and is not what would replace it; choose another "
                      "folder, or remove it first");
    }
  }

  /// Makes a folder beside the old version.
  ///
  /// \return its path
  std::string make_beside(std::string_view end, mode_t mode) const {
    constexpr int kMaxAttempts = 100;
    for (int i = 0; i < kMaxAttempts; ++i) {
      const std::string made =
          directory_ + '/' + detail::temporary_file_name(end);
      if (::mkdir(made.c_str(), mode) == 0) return made;
      if (errno != EEXIST) break;
    }
    const int error_number = errno;
    detail::throw_write_error<ResourceError>(
        name_, "no folder can be created in " + directory_ + ": ",
        error_number);
  }

  /// Makes the new version. Only its owner can read it before it takes its place.
  void create() {
    constexpr mode_t kNewFolderMode = 0777;
    temporary_ = make_beside(detail::kTemporaryFolderEnd, kNewFolderMode);
    struct stat status {};
    if (::stat(temporary_.c_str(), &status) != 0) return;
    if (!exists_) mode_ = status.st_mode & kModeBits;
    const mode_t own_mode = (status.st_mode & S_ISGID) | S_IRWXU;
    static_cast<void>(::chmod(temporary_.c_str(), own_mode));
    detail::remove_ended_files(directory_, status.st_mtim);
  }

  void make_folder(const std::string& folder) {
    constexpr mode_t kNewFolderMode = 0777;
    if (!folders_.insert(folder).second) return;
    if (::mkdir(folder.c_str(), kNewFolderMode) != 0) {
      detail::throw_write_error<ResourceError>(name_, "", errno);
    }
  }

  /// Afterwards the old version has the temporary name, and is deleted by it.
  void exchange() {
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                    RENAME_EXCHANGE) == 0) {
      return;
    }
    if (!detail::lacks_rename_flag(errno)) {
      detail::throw_write_error<ResourceError>(name_, "", errno);
    }
    kept_ = make_beside(detail::kOldFolderEnd, S_IRWXU);
    detail::swap_by_two_renames(
        temporary_, target_, kept_ + target_.substr(target_.rfind('/')), name_);
  }

  /// Refuses a folder that was made meanwhile.
  void rename_to_new_name() {
    int result = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD,
                             target_.c_str(), RENAME_NOREPLACE);
    if (result != 0 && detail::lacks_rename_flag(errno)) {
      result = std::rename(temporary_.c_str(), target_.c_str());
    }
    if (result != 0) detail::throw_write_error<ResourceError>(name_, "", errno);
  }

  std::string name_;       ///< as messages show it
  std::string target_;     ///< without links
  std::string directory_;  ///< that has the target
  std::string temporary_;  ///< the new version
  std::string kept_;       ///< has the old version if names cannot be exchanged
  mode_t mode_ = 0;        ///< of the new version in its place
  bool exists_ = false;
  std::set<std::string, std::greater<>> folders_;  ///< of the new version
};

}  // namespace mlp
