// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "../error.hpp"

namespace mlp {

/// A new temporary folder that only its owner can access.
///
/// The destructor deletes the folder and its contents.
class TemporaryFolder {
 public:
  /// \param prefix  start of the folder's name
  /// \throws ResourceError with the folder's name and the reason if it cannot
  ///         be created
  explicit TemporaryFolder(const std::string& prefix) {
    std::error_code error;
    const std::string pattern =
        (std::filesystem::temp_directory_path(error) / (prefix + "XXXXXX"))
            .string();
    std::string name = pattern;
    if (!error && ::mkdtemp(name.data()) == nullptr) {
      error.assign(errno, std::generic_category());
    }
    if (error) {
      throw ResourceError(pattern,
                          "cannot be created as a folder: " + error.message() +
                              "; set TMPDIR to a folder that you can write to");
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mlp
