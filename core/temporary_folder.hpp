// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "error.hpp"

namespace mlp {

/// A new folder among the system's temporary files, open to its owner alone. It
/// goes with this object, and all that lies in it.
class TemporaryFolder {
 public:
  /// \param prefix  what its name begins with
  /// \throws ResourceError naming the folder that could not be made, and why
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
                          "cannot be made a folder: " + error.message() +
                              "; set TMPDIR to one you may write in");
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
