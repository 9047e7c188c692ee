// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../error.hpp"
#include "atomic_file.hpp"
#include "folder_replacement.hpp"

namespace mlp {

/// The kinds of files that an output may be written to.
enum class OutputKind {
  kAny,      ///< a device or a pipe too
  kRegular,  ///< only a regular file, because it is replaced again and again
  kFolder,   ///< a folder, which is replaced as a whole
};

namespace detail {

/// What two names of one file have in common: device and inode; for a file that
/// does not exist yet, device and inode of its folder, and its name.
using FileIdentity = std::tuple<dev_t, ino_t, std::string>;

/// Returns the status of a file, or nothing if there is none.
inline std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

/// Returns the status of a standard stream.
inline std::optional<struct stat> status_of_stream(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return status;
}

/// Returns nothing for a device, a pipe, a directory, or a file in a folder that
/// does not exist.
inline std::optional<FileIdentity> identify(const std::string& path,
                                            bool is_input) {
  const auto status =
      path == "-" ? status_of_stream(is_input ? STDIN_FILENO : STDOUT_FILENO)
                  : status_of(path);
  if (status) {
    if (!S_ISREG(status->st_mode)) return std::nullopt;
    return FileIdentity(status->st_dev, status->st_ino, "");
  }
  if (path == "-" || errno != ENOENT) return std::nullopt;
  const std::string target = follow_links<ResourceError>(path);
  const auto folder = status_of(directory_of(target));
  if (!folder) return std::nullopt;
  return FileIdentity(folder->st_dev, folder->st_ino,
                      target.substr(target.rfind('/') + 1));
}

/// Returns true if a path is a folder, or a file or a folder in it, at any depth.
/// A file that does not exist yet is in the folder where it would be made.
inline bool is_within(const std::string& path, const std::string& folder) {
  constexpr int kMaxDepth = 1000;
  const auto expected = status_of(folder);
  if (!expected || !S_ISDIR(expected->st_mode)) return false;
  std::string place = follow_links<ResourceError>(without_last_slashes(path));
  auto status = status_of(place);
  if (!status || !S_ISDIR(status->st_mode)) {
    place = directory_of(place);
    status = status_of(place);
  }
  for (int i = 0; status && i < kMaxDepth; ++i) {
    if (status->st_dev == expected->st_dev &&
        status->st_ino == expected->st_ino) {
      return true;
    }
    place += "/..";
    const auto above = status_of(place);
    const bool is_root = above && above->st_dev == status->st_dev &&
                         above->st_ino == status->st_ino;
    if (is_root) return false;
    status = above;
  }
  return false;
}

[[noreturn]] inline void refuse_path(const std::string& path,
                                     const std::string& reason) {
  throw ResourceError(path, "cannot be written: " + reason);
}

/// Returns true for a file or a folder that is mounted by itself, for example in a
/// container: nothing else can be renamed to its name.
inline bool is_mount_point(const std::string& path) {
  struct statx status {};
  return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace detail

/// The files that a command reads and writes, with the flag of each. They are
/// checked before a command reads or computes anything.
class OutputFiles {
 public:
  /// Adds a file or a folder that the command reads.
  ///
  /// \param flag  as messages name it: a flag with its dashes, or an argument
  /// \param path  "-" is standard input; an empty name is ignored
  void add_input(const std::string& flag, const std::string& path) {
    File file{flag, path};
    file.is_input = true;
    add(std::move(file));
  }

  /// Adds a file or a folder that the command writes.
  ///
  /// \param path  "-" is standard output; an empty name is ignored
  void add_output(const std::string& flag, const std::string& path,
                  OutputKind kind) {
    File file{flag, path};
    file.kind = kind;
    add(std::move(file));
  }

  /// Adds a file that the command makes by renaming another output.
  void add_renamed_output(const std::string& flag, const std::string& path) {
    File file{flag, path};
    file.is_renamed = true;
    file.kind = OutputKind::kRegular;
    add(std::move(file));
  }

  /// Refuses an output that is the same file as an input or another output, under
  /// any name: links are followed, and files that do not exist yet are compared
  /// by their folder and name. Of an output and an input, neither may be a folder
  /// with the other in it.
  ///
  /// \throws ParamError naming both flags and both paths
  void check_distinct() const {
    for (const File& file : files_) {
      if (file.is_input || file.kind == OutputKind::kAny || file.path != "-") {
        continue;
      }
      throw ParamError(file.flag +
                       ": '-' is standard output; expected a regular file; "
                       "name another file");
    }
    check_identities();
    for (const File& input : files_) {
      for (const File& output : files_) {
        if (input.is_input && !output.is_input) check_folders(input, output);
      }
    }
  }

  /// Checks that each output can be written, by making a temporary file in its
  /// folder as the later write will do.
  ///
  /// \throws ParamError naming the flag if an output must be a regular file and
  ///         is a device or a pipe; ResourceError if it is a directory where a
  ///         file is expected or the reverse, or if no file can be created in
  ///         its folder
  void check_writable() const {
    for (const File& file : files_) {
      if (file.is_input || file.path == "-") continue;
      if (is_device(file)) continue;
      if (file.is_renamed) continue;
      check_place(file);
      // A new folder is made beside the old one, which shows the same.
      if (file.kind != OutputKind::kFolder) {
        check_replaceable<ResourceError>(file.path);
      }
    }
  }

 private:
  struct File {
    std::string flag;
    std::string path;
    bool is_input = false;
    bool is_renamed = false;
    OutputKind kind = OutputKind::kAny;
  };

  void add(File file) {
    if (!file.path.empty()) files_.push_back(std::move(file));
  }

  void check_identities() const {
    std::map<detail::FileIdentity, const File*> seen;
    // Inputs first: two inputs may be one file, and an output is then compared
    // with all of them.
    for (const bool is_input : {true, false}) {
      for (const File& file : files_) {
        if (file.is_input != is_input) continue;
        const auto identity = detail::identify(file.path, is_input);
        if (!identity) continue;
        const auto [place, is_new] = seen.emplace(*identity, &file);
        if (is_new || is_input) continue;
        refuse_pair(file, "the same file as", *place->second, "file");
      }
    }
  }

  static void check_folders(const File& input, const File& output) {
    if (input.path == "-" || output.path == "-") return;
    const bool is_folder = output.kind == OutputKind::kFolder;
    if (is_folder && detail::is_within(input.path, output.path)) {
      const bool is_same = detail::is_within(output.path, input.path);
      refuse_pair(output, is_same ? "the same folder as" : "a folder with",
                  input, "folder");
    }
    if (!is_device_or_pipe(output.path) &&
        detail::is_within(output.path, input.path)) {
      refuse_pair(output, "in the folder", input,
                  is_folder ? "folder" : "file");
    }
  }

  [[noreturn]] static void refuse_pair(const File& file,
                                       const std::string& relation,
                                       const File& other,
                                       const std::string& kind) {
    throw ParamError(file.flag + ": '" + file.path + "' is " + relation + ' ' +
                     other.flag + " '" + other.path +
                     "', which would be overwritten; name another " + kind);
  }

  /// \return true if the output exists and is written without being replaced
  static bool is_device(const File& file) {
    const auto status = detail::status_of(file.path);
    if (!status) return false;
    const bool is_directory = S_ISDIR(status->st_mode);
    if (file.kind == OutputKind::kFolder) {
      if (is_directory) return false;
      detail::refuse_path(
          file.path,
          std::string("it is ") +
              (S_ISREG(status->st_mode) ? "a file" : "a device or a pipe") +
              "; name a folder");
    }
    if (is_directory) {
      detail::refuse_path(file.path, "it is a directory; name a file");
    }
    if (S_ISREG(status->st_mode)) return false;
    if (file.kind == OutputKind::kAny) return true;
    throw ParamError(file.flag + ": '" + file.path +
                     "' is a device or a pipe; expected a regular file, "
                     "which is replaced; name another file");
  }

  /// Checks that something can be made in the folder of a path, and renamed to it.
  static void check_place(const File& file) {
    const std::string path = file.kind == OutputKind::kFolder
                                 ? detail::without_last_slashes(file.path)
                                 : file.path;
    // The slash makes a file in place of the folder an error of its own.
    const std::string folder =
        detail::directory_of(follow_links<ResourceError>(path)) + '/';
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      detail::refuse_path(file.path, std::strerror(errno));
    }
    if (detail::is_mount_point(path)) {
      detail::refuse_path(file.path,
                          "it is mounted by itself and cannot be replaced; "
                          "mount its folder instead");
    }
  }

  std::vector<File> files_;
};

}  // namespace mlp
