// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../reading/quoted.hpp"

/// The data files that a path stands for: a file, a folder or a pattern.
namespace mlp::datasets {

/// Files that are read as one.
struct DataFiles {
  /// The name of the only file, or of all together, for messages.
  std::string name;

  /// In the order in which they are read   [at least 1].
  std::vector<std::string> paths;
};

namespace detail {

/// Returns true for the names of files that Spark and Hadoop do not read as data,
/// such as _SUCCESS and .part-00000.crc.
inline bool is_hidden(std::string_view name) {
  return name.starts_with('_') || name.starts_with('.');
}

/// Returns the text after the last slash.
inline std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns the folder with a slash at its end.
inline std::string with_slash(std::string folder) {
  if (folder.empty() || folder.back() != '/') folder += '/';
  return folder;
}

/// Returns true if a path names a file of any kind, a broken link included.
inline bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// Returns true if a path is a pattern of glob(3), and not the name of a file.
inline bool is_pattern(const std::string& path) {
  return path.find_first_of("*?[") != path.npos && !exists(path);
}

/// Returns the names of a folder, in any order.
///
/// \throws DataError if the folder cannot be read; ResourceError if file handles
///         run out
inline std::vector<std::string> names_in(const std::string& folder) {
  DIR* const stream = ::opendir(folder.c_str());
  if (stream == nullptr) {
    mlp::throw_file_error<DataError>(folder, "opened", errno);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream))
    names.emplace_back(entry->d_name);
  const int error_number = errno;
  ::closedir(stream);
  if (error_number != 0) {
    mlp::throw_file_error<DataError>(folder, "read", error_number);
  }
  return names;
}

/// Returns true if a file of a folder or a pattern has data, and false if it is
/// empty. What cannot be examined has data: reading it reports why it cannot be
/// read.
///
/// \throws DataError for a folder, a pipe or a device
inline bool has_data(const std::string& path, const std::string& given) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return true;
  if (S_ISREG(status.st_mode)) return status.st_size != 0;
  if (!S_ISDIR(status.st_mode)) {
    throw DataError(path, "is no regular file; expected files with data in " +
                              in_quotes(given));
  }
  const std::string_view name = last_name(path);
  if (name.find('=') != name.npos) {
    throw DataError(path,
                    "is a folder of a partition, whose value the rows do not "
                    "have; expected data files only; write the data without "
                    "partitions");
  }
  throw DataError(path, "is a folder; expected data files only in " +
                            in_quotes(given) +
                            "; name the folders that have the data");
}

/// Returns the paths that match a pattern, in any order.
inline std::vector<std::string> match_pattern(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv,
                                 found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status == GLOB_NOSPACE) {
    throw ResourceError(pattern, "matches more files than memory can list");
  }
  return paths;
}

/// Adds the files of a folder, or those that match a pattern.
inline void add_files(std::vector<std::string>& paths, const std::string& given,
                      bool is_folder) {
  const std::size_t num_before = paths.size();
  const bool wants_hidden = !is_folder && is_hidden(last_name(given));
  for (std::string& name : is_folder ? names_in(given) : match_pattern(given)) {
    if (!wants_hidden && is_hidden(last_name(name))) continue;
    std::string path = is_folder ? with_slash(given) + name : std::move(name);
    if (has_data(path, given)) paths.push_back(std::move(path));
  }
  if (paths.size() != num_before) return;
  throw DataError(given,
                  std::string(is_folder ? "the folder has no data file"
                                        : "no data file matches the pattern") +
                      "; expected a file that is not empty and whose "
                      "name does not begin with '_' or '.'");
}

/// Adds the files that one path stands for.
inline void add_path(std::vector<std::string>& paths, const std::string& path) {
  if (is_pattern(path)) return add_files(paths, path, false);
  struct stat status {};
  if (path != "-" && ::stat(path.c_str(), &status) == 0 &&
      S_ISDIR(status.st_mode)) {
    return add_files(paths, path, true);
  }
  paths.push_back(path);
}

/// \throws DataError if two paths are one file
inline void check_distinct(const std::vector<std::string>& paths) {
  std::map<std::pair<dev_t, ino_t>, const std::string*> known;
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) continue;
    const auto added =
        known.emplace(std::pair(status.st_dev, status.st_ino), &path);
    if (added.second) continue;
    throw DataError(path, "is the same file as " +
                              in_quotes(*added.first->second) +
                              "; expected each data file once");
  }
}

/// Returns the name of several files.
inline std::string joint_name(const std::vector<std::string>& given,
                              const std::vector<std::string>& paths) {
  if (paths.size() == 1)
    return paths.front() == "-" ? "(standard input)" : paths.front();
  if (given.size() == 1) return given.front();
  if (paths.size() == 2) return paths[0] + " and " + paths[1];
  return paths.front() + " and " + std::to_string(paths.size() - 1) +
         " more files";
}

}  // namespace detail

/// Finds the files that paths stand for, sorted by the bytes of their paths.
///
/// A path that exists is a file or a folder; another one with *, ? or [ is a
/// pattern of glob(3). In a folder and among the files of a pattern, these are left
/// out: empty files, and files whose names begin with '_' or '.', such as the
/// _SUCCESS of Spark. A file of a name of its own need not exist, because reading
/// reports it.
/// \param given  "-" is standard input and must be the only path   [at least 1]
/// \throws ParamError if there is no path, or if "-" is not the only one; DataError
///         if a folder or a pattern has no data file or has another folder, or if
///         two paths are one file
[[nodiscard]] inline DataFiles find_data_files(
    const std::vector<std::string>& given) {
  if (given.empty()) {
    throw ParamError("paths", "must be at least one file; got none");
  }
  if (given.size() > 1 &&
      std::find(given.begin(), given.end(), "-") != given.end()) {
    throw ParamError("standard input must be the only data, got '-' and " +
                     std::to_string(given.size() - 1) +
                     (given.size() == 2 ? " other path" : " other paths"));
  }
  DataFiles files;
  for (const std::string& path : given) detail::add_path(files.paths, path);
  std::sort(files.paths.begin(), files.paths.end());
  if (files.paths.size() > 1) detail::check_distinct(files.paths);
  files.name = detail::joint_name(given, files.paths);
  return files;
}

}  // namespace mlp::datasets
