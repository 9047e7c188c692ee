// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"

namespace mlp::datasets::detail {

/// The types of numbers that binary data files hold.
enum class ValueType {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat32,
  kFloat64
};

/// Bytes of one number.
inline std::size_t value_bytes(ValueType type) {
  switch (type) {
    case ValueType::kUint8:
    case ValueType::kInt8:
      return 1;
    case ValueType::kUint16:
    case ValueType::kInt16:
      return 2;
    case ValueType::kUint32:
    case ValueType::kInt32:
    case ValueType::kFloat32:
      return 4;
    case ValueType::kUint64:
    case ValueType::kInt64:
    case ValueType::kFloat64:
      break;
  }
  return 8;
}

/// Where numbers lie in a file, as a matrix whose columns are instances.
struct BinaryLayout {
  ValueType type = ValueType::kUint8;
  std::endian byte_order = std::endian::little;
  Index num_features = 1;
  Index num_instances = 0;

  /// True where the numbers of a feature are neighbours, false where those of
  /// an instance are.
  bool is_feature_major = false;
};

template <typename Value>
double decode_value(const char* bytes, std::endian order) {
  using Bits = std::conditional_t<
      sizeof(Value) == 1, std::uint8_t,
      std::conditional_t<sizeof(Value) == 2, std::uint16_t,
                         std::conditional_t<sizeof(Value) == 4, std::uint32_t,
                                            std::uint64_t>>>;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(Value); ++i) {
    const std::size_t at =
        order == std::endian::little ? sizeof(Value) - 1 - i : i;
    bits = bits << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return static_cast<double>(std::bit_cast<Value>(static_cast<Bits>(bits)));
}

/// Decodes all numbers.
///
/// \param bytes  as many as the layout asks for
/// \param[out] values  [num_features x num_instances]
template <typename Value>
void decode_values(std::string_view bytes, const BinaryLayout& layout,
                   Eigen::Ref<Matrix> values) {
  const char* at = bytes.data();
  const Index outer = layout.is_feature_major ? values.rows() : values.cols();
  const Index inner = layout.is_feature_major ? values.cols() : values.rows();
  for (Index i = 0; i < outer; ++i) {
    for (Index j = 0; j < inner; ++j, at += sizeof(Value)) {
      const double value = decode_value<Value>(at, layout.byte_order);
      (layout.is_feature_major ? values(i, j) : values(j, i)) = value;
    }
  }
}

inline void decode_values(std::string_view bytes, const BinaryLayout& layout,
                          Eigen::Ref<Matrix> values) {
  switch (layout.type) {
    case ValueType::kUint8:
      return decode_values<std::uint8_t>(bytes, layout, values);
    case ValueType::kInt8:
      return decode_values<std::int8_t>(bytes, layout, values);
    case ValueType::kUint16:
      return decode_values<std::uint16_t>(bytes, layout, values);
    case ValueType::kInt16:
      return decode_values<std::int16_t>(bytes, layout, values);
    case ValueType::kUint32:
      return decode_values<std::uint32_t>(bytes, layout, values);
    case ValueType::kInt32:
      return decode_values<std::int32_t>(bytes, layout, values);
    case ValueType::kUint64:
      return decode_values<std::uint64_t>(bytes, layout, values);
    case ValueType::kInt64:
      return decode_values<std::int64_t>(bytes, layout, values);
    case ValueType::kFloat32:
      return decode_values<float>(bytes, layout, values);
    case ValueType::kFloat64:
      return decode_values<double>(bytes, layout, values);
  }
}

/// Refuses NaN and infinities.
///
/// \param values  [num_features x num_instances]
/// \throws DataError with the row and the column of the first one, as the file
///         has them: 1-based, instances as rows
inline void check_finite(ConstMatrixRef values, const std::string& source) {
  if (values.allFinite()) return;
  for (Index row = 0; row < values.cols(); ++row) {
    for (Index column = 0; column < values.rows(); ++column) {
      const double value = values(column, row);
      if (std::isfinite(value)) continue;
      throw DataError(
          source, "expected finite numbers, got " + format_double(value) +
                      " in row " + std::to_string(row + 1) + ", column " +
                      std::to_string(column + 1) + " (both counted from 1)");
    }
  }
}

}  // namespace mlp::datasets::detail
