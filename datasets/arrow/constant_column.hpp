// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../reading/folder_columns.hpp"
#include "arrow_interface.hpp"

/// Columns of Arrow tables that have one value in all rows.
namespace mlp::datasets::detail {

/// A column that owns its array, of integers or of texts.
class ConstantColumn {
 public:
  /// \param text  an integer if is_integer; nothing if the value is missing
  ConstantColumn(std::string name, std::optional<std::string> text,
                 bool is_integer)
      : name_(std::move(name)),
        text_(std::move(text)),
        is_integer_(is_integer) {
    schema_.format = is_integer ? "l" : "vu";
    schema_.name = name_.c_str();
    schema_.flags = 2;  // may be null
  }

  ConstantColumn(const ConstantColumn&) = delete;
  ConstantColumn& operator=(const ConstantColumn&) = delete;

  [[nodiscard]] ArrowSchema& schema() { return schema_; }

  /// Returns the values of rows, valid until the next call.
  [[nodiscard]] ArrowArray& rows(Index num_rows) {
    const auto size = static_cast<std::size_t>(num_rows);
    if (bits_.size() * 8 < size || bits_.empty()) grow(size);
    array_.length = num_rows;
    array_.null_count = text_ ? 0 : num_rows;
    return array_;
  }

 private:
  void grow(std::size_t size) {
    bits_.assign(size / 8 + 1, 0);
    const std::size_t capacity = 8 * bits_.size();
    array_.n_buffers = is_integer_ ? 2 : 3;
    array_.buffers = buffers_.data();
    buffers_[0] = text_ ? nullptr : bits_.data();
    if (is_integer_) {
      integers_.assign(capacity, text_ ? *folder_integer(*text_) : 0);
      buffers_[1] = integers_.data();
    } else {
      views_.assign(capacity, view());
      buffers_[1] = views_.data();
      buffers_[2] = text_ ? text_->data() : nullptr;
    }
  }

  /// How a row refers to the text, which all rows share.
  ///
  /// \source Arrow, Columnar Format, Variable-size Binary View Layout
  using View = std::array<char, 16>;

  [[nodiscard]] View view() const {
    constexpr std::size_t kMostShort = 12;
    View view{};
    const std::string text = text_.value_or("");
    const auto size = static_cast<std::int32_t>(text.size());
    std::memcpy(view.data(), &size, sizeof size);
    // A long text has its first bytes, then the buffer and the place in it, both 0.
    std::memcpy(view.data() + sizeof size, text.data(),
                text.size() > kMostShort ? sizeof size : text.size());
    return view;
  }

  std::string name_;
  std::optional<std::string> text_;
  bool is_integer_;
  ArrowSchema schema_{};
  ArrowArray array_{};
  std::array<const void*, 3> buffers_{};
  std::vector<std::uint8_t> bits_;  // of missing values: all 0
  std::vector<std::int64_t> integers_;
  std::vector<View> views_;
};

}  // namespace mlp::datasets::detail
