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
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../reading/folder_columns.hpp"
#include "../reading/quoted.hpp"

/// The data files that a path stands for: a file, a folder or a pattern.
namespace mlp::datasets {

namespace detail {

struct StandardInput;

/// The name of "-" in messages.
inline constexpr char kStandardInput[] = "(standard input)";

}  // namespace detail

/// Files that are read as one.
struct DataFiles {
  /// The name of the only file, or of all together, for messages.
  std::string name;

  /// In the order in which they are read   [at least 1].
  std::vector<std::string> paths;

  /// What the names of their folders give.
  FolderColumns columns;

  /// The names of folders with '=' that give no columns, because a pattern matches them or
  /// the given paths have them with different values.
  std::vector<std::string> left_out_columns;

  /// What "-" had, once it was read; null before.
  std::shared_ptr<detail::StandardInput> input = {};
};

namespace detail {

/// A file, and the values that the folders above it give.
struct FoundFile {
  std::string path;
  std::vector<FolderValue> values;
};

/// Returns true for the names that Spark and Hadoop do not read as data, such as
/// _SUCCESS and .part-00000.crc.
///
/// \source Spark 4.0.1, HadoopFSUtils.shouldFilterOutPathName
inline bool is_hidden(std::string_view name) {
  return name.starts_with('.') ||
         (name.starts_with('_') && name.find('=') == name.npos);
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

/// What a path of a folder or of a pattern is.
enum class PathKind { kData, kEmpty, kFolder };

/// Examines a path. What cannot be examined is data: reading it reports why it cannot
/// be read.
///
/// \throws DataError for a pipe or a device
inline PathKind kind_of_path(const std::string& path,
                             const std::string& given) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return PathKind::kData;
  if (S_ISDIR(status.st_mode)) return PathKind::kFolder;
  if (S_ISREG(status.st_mode)) {
    return status.st_size != 0 ? PathKind::kData : PathKind::kEmpty;
  }
  throw DataError(path, "is no regular file; expected files with data in " +
                            in_quotes(given));
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

/// Adds the files of a folder, and of the folders name=value in it.
///
/// \param values  of the folders above the files
/// \throws DataError for another folder in it, or a name that occurs twice in a path
inline void add_folder(std::vector<FoundFile>& files, const std::string& folder,
                       const std::vector<FolderValue>& values) {
  for (const std::string& name : names_in(folder)) {
    if (is_hidden(name)) continue;
    std::string path = with_slash(folder) + name;
    const PathKind kind = kind_of_path(path, folder);
    if (kind == PathKind::kData) files.push_back({std::move(path), values});
    if (kind != PathKind::kFolder) continue;
    const auto value = read_folder_name(name, path);
    if (!value) {
      throw DataError(path, "is a folder; expected data files only in " +
                                in_quotes(folder) +
                                "; name the folders that have the data");
    }
    const bool is_known = std::any_of(
        values.begin(), values.end(),
        [&](const FolderValue& above) { return above.name == value->name; });
    if (is_known) {
      throw DataError(path, "is a folder in another one with a value of " +
                                in_quotes(value->name) +
                                "; expected each name once in a path");
    }
    std::vector<FolderValue> all = values;
    all.push_back(*value);
    add_folder(files, path, all);
  }
}

/// Adds the files that match a pattern, and those of the folders that match.
inline void add_matches(std::vector<FoundFile>& files,
                        const std::string& pattern) {
  const bool wants_hidden = is_hidden(last_name(pattern));
  for (std::string& path : match_pattern(pattern)) {
    if (!wants_hidden && is_hidden(last_name(path))) continue;
    const PathKind kind = kind_of_path(path, pattern);
    if (kind == PathKind::kData) files.push_back({path, {}});
    if (kind == PathKind::kFolder) add_folder(files, path, {});
  }
}

/// Adds the files that one path stands for.
inline void add_path(std::vector<FoundFile>& files, const std::string& path) {
  const std::size_t num_before = files.size();
  struct stat status {};
  const bool is_match = is_pattern(path);
  if (is_match) {
    add_matches(files, path);
  } else if (path != "-" && ::stat(path.c_str(), &status) == 0 &&
             S_ISDIR(status.st_mode)) {
    add_folder(files, path, {});
  } else {
    files.push_back({path, {}});
  }
  if (files.size() != num_before) return;
  throw DataError(path,
                  std::string(is_match ? "no data file matches the pattern"
                                       : "the folder has no data file") +
                      "; expected a file that is not empty and whose "
                      "name does not begin with '_' or '.'");
}

/// Returns the names of the columns that the folders of a file give.
inline std::vector<std::string> names_of_folders(const FoundFile& file) {
  std::vector<std::string> names;
  for (const FolderValue& value : file.values) names.push_back(value.name);
  return names;
}

/// \throws DataError naming a file whose folders have other names than those of the
///         first one
inline FolderColumns collect_columns(const std::vector<FoundFile>& files) {
  FolderColumns columns{names_of_folders(files.front()), {}};
  for (const FoundFile& file : files) {
    const std::vector<std::string> names = names_of_folders(file);
    if (names != columns.names) {
      throw DataError(file.path,
                      "its folders name the columns " + folder_names(names) +
                          ", but those of " + files.front().path + " name " +
                          folder_names(columns.names) +
                          "; expected the same folders name=value, in the same "
                          "order, above all files");
    }
    auto& texts = columns.values.emplace_back();
    for (const FolderValue& value : file.values) texts.push_back(value.text);
  }
  normalize_integers(columns);
  return columns;
}

/// Takes the next name of a path.
inline std::string_view take_name(std::string_view& path) {
  const std::string_view name = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(name.size() + 1, path.size()));
  return name;
}

/// Adds the names that folders name=value have which a pattern matches: they give no
/// columns.
inline void note_left_out(std::vector<std::string>& names,
                          const std::string& pattern) {
  for (const std::string& path : match_pattern(pattern)) {
    std::string_view of_pattern = pattern;
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::string_view name = take_name(rest);
      const bool is_matched = take_name(of_pattern) != name;
      const std::size_t equals = name.find('=');
      if (!is_matched || equals == name.npos || equals == 0) continue;
      const bool is_folder =
          !rest.empty() || kind_of_path(path, pattern) == PathKind::kFolder;
      std::string column = unescape_folder(name.substr(0, equals));
      if (is_folder &&
          std::find(names.begin(), names.end(), column) == names.end()) {
        names.push_back(std::move(column));
      }
    }
  }
}

/// Adds the names that folders name=value have with different values in the given paths,
/// such as those that a shell makes of a pattern: they give no columns.
inline void note_different(std::vector<std::string>& names,
                           const std::vector<std::string>& given) {
  std::map<std::string, std::string> values;
  for (const std::string& path : given) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::string_view name = take_name(rest);
      const std::size_t equals = name.find('=');
      const bool is_folder =
          equals != name.npos && equals != 0 &&
          (!rest.empty() || kind_of_path(path, path) == PathKind::kFolder);
      if (!is_folder) continue;
      const std::string column = unescape_folder(name.substr(0, equals));
      const auto known =
          values.emplace(column, std::string(name.substr(equals + 1))).first;
      if (known->second != name.substr(equals + 1) &&
          std::find(names.begin(), names.end(), column) == names.end()) {
        names.push_back(column);
      }
    }
  }
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
    return paths.front() == "-" ? kStandardInput : paths.front();
  if (given.size() == 1) return given.front();
  if (paths.size() == 2) return paths[0] + " and " + paths[1];
  return paths.front() + " and " + std::to_string(paths.size() - 1) +
         " more files";
}

}  // namespace detail

/// Finds the files that paths stand for, sorted by the bytes of their paths.
///
/// A path that exists is a file or a folder; another one with *, ? or [ is a
/// pattern of glob(3), which may match files and folders. In a folder and among the
/// files of a pattern, these are left out: empty files, and files whose names begin with
/// '_' or '.', such as the _SUCCESS of Spark. A file of a name of its own need not exist,
/// because reading reports it.
///
/// Folders such as day=1 in a folder give a column for all files below. The names in the
/// given paths and in what a pattern matches give none.
/// \param given  "-" is standard input and must be the only path   [at least 1]
/// \throws ParamError if there is no path, or if "-" is not the only one; DataError
///         if a folder or a pattern has no data file, if a folder has another folder
///         than name=value, if folders disagree about the columns, or if two paths are
///         one file
/// \source Spark 4.0.1, PartitioningUtils.parsePartitions: a column is below the
///         paths that are read
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
  std::vector<detail::FoundFile> found;
  for (const std::string& path : given) {
    detail::add_path(found, path);
    if (detail::is_pattern(path)) {
      detail::note_left_out(files.left_out_columns, path);
    }
  }
  if (given.size() > 1) detail::note_different(files.left_out_columns, given);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  files.columns = detail::collect_columns(found);
  for (auto& file : found) files.paths.push_back(std::move(file.path));
  if (files.paths.size() > 1) detail::check_distinct(files.paths);
  files.name = detail::joint_name(given, files.paths);
  return files;
}

}  // namespace mlp::datasets
