// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlp::cuda_host {

/// A line of a source file. clang 14 lacks std::source_location.
struct CodePlace {
  const char* file = "";
  unsigned line = 0;

  /// Returns the line of the call.
  static constexpr CodePlace current(const char* file = __builtin_FILE(),
                                     unsigned line = __builtin_LINE()) {
    return {file, line};
  }

  [[nodiscard]] bool operator==(const CodePlace& other) const {
    return line == other.line && std::string_view(file) == other.file;
  }

  /// Returns "name.cu:12", without folders.
  [[nodiscard]] std::string text() const {
    std::string_view name = file;
    name.remove_prefix(name.find_last_of('/') + 1);
    return std::string(name) + ':' + std::to_string(line);
  }
};

}  // namespace mlp::cuda_host
