// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"

namespace mlp::detail {

/// Throws an error for a wrong value of a model file, with its JSON path.
class ValueCheck {
 public:
  /// \param file  its name in messages
  explicit ValueCheck(const std::string& file) : file_(file) {}

  [[nodiscard]] const std::string& file() const { return file_; }

  [[noreturn]] void refuse(const std::string& path,
                           const std::string& sentence) const {
    throw ModelError(file_, path, sentence);
  }

  /// \param expected  completes "must be ..."
  void require(bool is_right, const std::string& path,
               const std::string& expected, const std::string& received) const {
    if (!is_right) refuse(path, "must be " + expected + "; got " + received);
  }

  void require_finite(const std::string& path, const Vector& numbers) const {
    if (numbers.allFinite()) return;
    Index i = 0;
    while (std::isfinite(numbers[i])) ++i;
    refuse(item_path(path, static_cast<std::size_t>(i)),
           "must be a finite number; got " + format_double(numbers[i]));
  }

  /// Returns the path of an item of an array.
  [[nodiscard]] static std::string item_path(const std::string& path,
                                             std::size_t i) {
    return path + '[' + std::to_string(i) + ']';
  }

 private:
  std::string file_;
};

}  // namespace mlp::detail
