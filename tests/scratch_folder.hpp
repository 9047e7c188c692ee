// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../core/files/temporary_folder.hpp"

namespace mlp::test {

/// A folder of its own for one test, removed at its end.
class ScratchFolder {
 public:
  [[nodiscard]] std::string path() const { return folder_.path().string(); }

  /// The path of a file in it.
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << bytes;
    return *this / name;
  }

  /// Files and folders in it.
  [[nodiscard]] auto num_files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()),
                         {});
  }

 private:
  TemporaryFolder folder_{"mlp-test-"};
};

/// The bytes of a file; empty where there is none.
inline std::string read_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Gives a test case a folder, by TEST_CASE_FIXTURE.
struct InFolder {
  const ScratchFolder folder;
};

}  // namespace mlp::test
