// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "arrow_decimal.hpp"
#include "arrow_interface.hpp"
#include "arrow_time.hpp"
#include "arrow_type.hpp"

/// The values of the columns of Arrow tables.
namespace mlp::datasets::detail {

/// Returns the number of a half-precision float.
///
/// \source IEEE 754-2008, binary16
inline double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  double value = 0.0;
  if (exponent == 0x1F) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(fraction | 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Returns a bit of a bitmap; true without one.
inline bool has_bit(const void* bitmap, Index at) {
  if (bitmap == nullptr) return true;
  const auto* const bytes = static_cast<const std::uint8_t*>(bitmap);
  return (bytes[at / 8] >> (at % 8) & 1) != 0;
}

/// The values of one column of a record batch.
class ArrowValues {
 public:
  /// \param schema  of the column; must outlive this object
  /// \param array   must outlive this object
  /// \param first   index of the first row in the array
  ArrowValues(const ArrowSchema& schema, const ArrowArray& array, Index first)
      : array_(&array),
        first_(first + array.offset),
        kind_(schema.dictionary == nullptr ? arrow_type(schema)
                                           : index_type(schema)) {
    const bool has_bitmap = kind_.kind != ArrowKind::kNull &&
                            array.n_buffers > 0 && array.null_count != 0;
    if (has_bitmap) valid_ = array.buffers[0];
    if (schema.dictionary != nullptr) {
      dictionary_ = std::make_unique<ArrowValues>(*schema.dictionary,
                                                  *array.dictionary, 0);
    }
  }

  [[nodiscard]] bool is_null(Index row) const {
    if (kind_.kind == ArrowKind::kNull) return true;
    if (!has_bit(valid_, first_ + row)) return true;
    return dictionary_ && dictionary_->is_null(integer(row));
  }

  /// Copies consecutive numbers, NaN where they are null.
  ///
  /// \pre the type is a number, and the column has no dictionary
  void copy_numbers(Index begin, Index count, double* to) const {
    visit([&](auto read) {
      for (Index i = 0; i < count; ++i) to[i] = read(begin + i);
    });
    if (valid_ == nullptr) return;
    for (Index i = 0; i < count; ++i) {
      if (has_bit(valid_, first_ + begin + i)) continue;
      to[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }

  /// Appends a value as a field of a CSV file has it; nothing for null and NaN.
  ///
  /// \pre ArrowType::has_text()
  void append_text(std::string& text, Index row) const {
    if (is_null(row)) return;
    if (dictionary_) return dictionary_->append_text(text, integer(row));
    switch (kind_.kind) {
      case ArrowKind::kNull:
        return;
      case ArrowKind::kText:
      case ArrowKind::kLargeText:
      case ArrowKind::kTextView:
        text += view(row);
        return;
      case ArrowKind::kDecimal:
        return append_decimal(text, decimal_bytes(row), kind_.scale);
      case ArrowKind::kDate32:
      case ArrowKind::kDate64:
      case ArrowKind::kTimestamp:
        return append_time_at(text, row);
      case ArrowKind::kBool:
        text += number(row) != 0.0 ? "True" : "False";
        return;
      case ArrowKind::kUint64:
        text += std::to_string(at<std::uint64_t>(row));
        return;
      case ArrowKind::kFloat16:
      case ArrowKind::kFloat32:
        return append_float(text, static_cast<float>(number(row)));
      case ArrowKind::kFloat64:
        if (!std::isnan(number(row))) append_double(text, number(row));
        return;
      default:
        text += std::to_string(integer(row));
    }
  }

  /// Returns the text of a row, which the batch has.
  ///
  /// \pre the type is a text, the value is not null, and the column has no dictionary
  [[nodiscard]] std::string_view view(Index row) const {
    if (kind_.kind == ArrowKind::kTextView) return short_or_long(row);
    const auto* const bytes = static_cast<const char*>(array_->buffers[2]);
    const bool is_large = kind_.kind == ArrowKind::kLargeText;
    const Index begin =
        is_large ? at<std::int64_t>(row) : Index{at<std::int32_t>(row)};
    const Index end =
        is_large ? at<std::int64_t>(row + 1) : Index{at<std::int32_t>(row + 1)};
    if (begin == end) return {};
    return {bytes + begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  /// Returns the type of the indices of a dictionary.
  static ArrowType index_type(const ArrowSchema& schema) {
    ArrowSchema indices = schema;
    indices.dictionary = nullptr;
    return arrow_type(indices);
  }

  template <typename Number>
  [[nodiscard]] Number at(Index row) const {
    return static_cast<const Number*>(array_->buffers[1])[first_ + row];
  }

  /// Calls f(read) with a function that reads the number of a row.
  template <typename F>
  void visit(const F& f) const {
    const auto cast = [&](auto type) {
      using Number = decltype(type);
      f([this](Index row) { return static_cast<double>(at<Number>(row)); });
    };
    switch (kind_.kind) {
      case ArrowKind::kInt8:
        return cast(std::int8_t{});
      case ArrowKind::kUint8:
        return cast(std::uint8_t{});
      case ArrowKind::kInt16:
        return cast(std::int16_t{});
      case ArrowKind::kUint16:
        return cast(std::uint16_t{});
      case ArrowKind::kInt32:
        return cast(std::int32_t{});
      case ArrowKind::kUint32:
        return cast(std::uint32_t{});
      case ArrowKind::kInt64:
        return cast(std::int64_t{});
      case ArrowKind::kUint64:
        return cast(std::uint64_t{});
      case ArrowKind::kFloat32:
        return cast(float{});
      case ArrowKind::kFloat64:
        return cast(double{});
      case ArrowKind::kFloat16:
        f([this](Index row) { return half_to_double(at<std::uint16_t>(row)); });
        return;
      default:
        f([this](Index row) {
          return has_bit(array_->buffers[1], first_ + row) ? 1.0 : 0.0;
        });
    }
  }

  [[nodiscard]] double number(Index row) const {
    double value = 0.0;
    visit([&](auto read) { value = read(row); });
    return value;
  }

  /// Returns an integer exactly, such as an index of the dictionary.
  [[nodiscard]] Index integer(Index row) const {
    switch (kind_.kind) {
      case ArrowKind::kInt64:
        return at<std::int64_t>(row);
      case ArrowKind::kUint64:
        return static_cast<Index>(at<std::uint64_t>(row));
      default:
        return static_cast<Index>(number(row));
    }
  }

  /// Returns the integer of a decimal, the lowest byte first.
  [[nodiscard]] std::span<const std::uint8_t> decimal_bytes(Index row) const {
    const auto size = static_cast<std::size_t>(kind_.decimal_bits / 8);
    const auto* const bytes =
        static_cast<const std::uint8_t*>(array_->buffers[1]);
    return {bytes + size * static_cast<std::size_t>(first_ + row), size};
  }

  [[nodiscard]] std::string_view short_or_long(Index row) const {
    constexpr Index kBytes = 16;
    constexpr std::int32_t kMostShort = 12;
    const char* const view =
        static_cast<const char*>(array_->buffers[1]) + kBytes * (first_ + row);
    const auto read = [&](int from) {
      std::int32_t value = 0;
      std::memcpy(&value, view + from, sizeof value);
      return value;
    };
    const std::int32_t size = read(0);
    if (size <= kMostShort) return {view + 4, static_cast<std::size_t>(size)};
    const void* const buffer = array_->buffers[2 + read(8)];
    return {static_cast<const char*>(buffer) + read(12),
            static_cast<std::size_t>(size)};
  }

  /// Appends a date or a timestamp, or the number that is stored for it if its year does
  /// not have four digits.
  void append_time_at(std::string& text, Index row) const {
    constexpr std::int64_t kMillisecondsPerDay = 86'400'000;
    const bool is_short = kind_.kind == ArrowKind::kDate32;
    const std::int64_t count =
        is_short ? at<std::int32_t>(row) : at<std::int64_t>(row);
    bool has_text = false;
    if (kind_.kind == ArrowKind::kTimestamp) {
      has_text = append_time(text, count, kind_.scale);
      if (has_text && kind_.is_utc) text += 'Z';
    } else {
      has_text = append_date(
          text, is_short ? count : floor_divide(count, kMillisecondsPerDay));
    }
    if (!has_text) text += std::to_string(count);
  }

  /// Appends the shortest text that reads back as the same float32; nothing for NaN.
  static void append_float(std::string& text, float value) {
    if (std::isnan(value)) return;
    if (std::isinf(value)) return append_double(text, value);
    std::array<char, 32> buffer{};
    const auto written =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    text.append(buffer.data(), written.ptr);
  }

  const ArrowArray* array_;
  Index first_;
  ArrowType kind_;
  const void* valid_ = nullptr;  ///< null: all values are valid
  std::unique_ptr<ArrowValues> dictionary_;
};

/// The vectors of Spark ML in one column of a record batch.
class ArrowVectors {
 public:
  /// \param schema  as for ArrowValues
  ArrowVectors(const ArrowSchema& schema, const ArrowArray& array, Index first)
      : array_(&array),
        offset_(first + array.offset),
        type_(*schema.children[0], *array.children[0], offset_),
        indices_(array, 2, offset_),
        values_(array, 3, offset_) {}

  /// Returns the number of elements of a vector; -1 for null.
  [[nodiscard]] Index size(Index row) const {
    if (is_null(row) || type_.is_null(row)) return -1;
    if (!is_sparse(row)) return values_.end(row) - values_.begin(row);
    const ArrowArray& sizes = *array_->children[1];
    return static_cast<const std::int32_t*>(
        sizes.buffers[1])[sizes.offset + offset_ + row];
  }

  /// Copies the elements of a vector, NaN where one is null.
  ///
  /// \param[out] to  [size()]
  /// \return false if an index of a sparse vector is not one of its elements
  [[nodiscard]] bool copy(Index row, double* to) const {
    const Index count = values_.end(row) - values_.begin(row);
    const auto value = [&](Index i) {
      const Index at = values_.begin(row) + i;
      return values_.has_item(at) ? values_.items<double>()[at]
                                  : std::numeric_limits<double>::quiet_NaN();
    };
    if (!is_sparse(row)) {
      for (Index i = 0; i < count; ++i) to[i] = value(i);
      return true;
    }
    const Index num_elements = size(row);
    if (indices_.end(row) - indices_.begin(row) != count) return false;
    const std::int32_t* const indices =
        indices_.items<std::int32_t>() + indices_.begin(row);
    std::fill_n(to, num_elements, 0.0);
    for (Index i = 0; i < count; ++i) {
      if (indices[i] < 0 || indices[i] >= num_elements) return false;
      to[indices[i]] = value(i);
    }
    return true;
  }

 private:
  /// A column of lists.
  class Lists {
   public:
    Lists(const ArrowArray& array, int child, Index offset)
        : array_(array.children[child]), offset_(offset + array_->offset) {}

    [[nodiscard]] Index begin(Index row) const { return offsets()[row]; }
    [[nodiscard]] Index end(Index row) const { return offsets()[row + 1]; }

    template <typename Item>
    [[nodiscard]] const Item* items() const {
      const ArrowArray& items = *array_->children[0];
      return static_cast<const Item*>(items.buffers[1]) + items.offset;
    }

    /// Returns false for an item that is null.
    [[nodiscard]] bool has_item(Index item) const {
      const ArrowArray& items = *array_->children[0];
      return items.null_count == 0 ||
             has_bit(items.buffers[0], items.offset + item);
    }

   private:
    [[nodiscard]] const std::int32_t* offsets() const {
      return static_cast<const std::int32_t*>(array_->buffers[1]) + offset_;
    }

    const ArrowArray* array_;
    Index offset_;
  };

  [[nodiscard]] bool is_null(Index row) const {
    return array_->null_count != 0 &&
           !has_bit(array_->buffers[0], offset_ + row);
  }

  /// \source Spark 4.0.1, VectorUDT.serialize: type 0 is sparse
  [[nodiscard]] bool is_sparse(Index row) const {
    double type = 0.0;
    type_.copy_numbers(row, 1, &type);
    return type == 0.0;
  }

  const ArrowArray* array_;
  Index offset_;
  ArrowValues type_;
  Lists indices_;
  Lists values_;
};

}  // namespace mlp::datasets::detail
