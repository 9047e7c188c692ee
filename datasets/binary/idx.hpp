// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/limits.hpp"
#include "../reading/reader_threads.hpp"
#include "binary_values.hpp"

/// Reader for idx files, the format of the MNIST data.
namespace mlp::datasets {

/// The header of an idx file.
struct IdxHeader {
  detail::ValueType type = detail::ValueType::kUint8;

  /// The first dimension is the number of instances.
  std::vector<std::uint64_t> dimensions;

  /// Size of the whole file in bytes, including the header.
  std::uint64_t file_bytes = 0;

  [[nodiscard]] std::uint64_t num_instances() const { return dimensions[0]; }

  /// Returns the product of the other dimensions. They are flattened with the
  /// last one fastest.
  [[nodiscard]] std::uint64_t num_features() const {
    std::uint64_t product = 1;
    for (std::size_t i = 1; i < dimensions.size(); ++i) {
      product *= dimensions[i];
    }
    return product;
  }
};

namespace detail {

/// Returns the number type of a type code, the third byte of an idx file.
inline std::optional<ValueType> idx_type(unsigned char code) {
  constexpr std::pair<unsigned char, ValueType> kTypes[] = {
      {0x08, ValueType::kUint8},   {0x09, ValueType::kInt8},
      {0x0B, ValueType::kInt16},   {0x0C, ValueType::kInt32},
      {0x0D, ValueType::kFloat32}, {0x0E, ValueType::kFloat64}};
  for (const auto& [known, type] : kTypes) {
    if (known == code) return type;
  }
  return std::nullopt;
}

/// Reads the big-endian 32-bit number at an offset.
inline std::uint64_t idx_dimension(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

}  // namespace detail

/// Returns true if the bytes start like an idx file.
[[nodiscard]] inline bool is_idx(std::string_view bytes) {
  return bytes.size() >= 4 && bytes[0] == '\0' && bytes[1] == '\0' &&
         bytes[3] != '\0' &&
         detail::idx_type(static_cast<unsigned char>(bytes[2])).has_value();
}

/// The maximum size of an idx header in bytes. It has up to 255 dimensions.
inline constexpr std::size_t kMaxIdxHeaderBytes = 4 + 4 * 255;

/// Reads the header of an idx file.
///
/// \param bytes   the file, or a part of it that contains the header
/// \param source  the file name shown in messages
/// \throws DataError if this is not an idx file, a dimension is zero or the
///         matrix would be too large
[[nodiscard]] inline IdxHeader read_idx_header(std::string_view bytes,
                                               const std::string& source) {
  if (!is_idx(bytes)) {
    throw DataError(source,
                    "is not an idx file; expected the bytes 0, 0, a type of 8, "
                    "9 or 11 to 14, and a number of dimensions");
  }
  IdxHeader header;
  header.type = *detail::idx_type(static_cast<unsigned char>(bytes[2]));
  const std::size_t rank = static_cast<unsigned char>(bytes[3]);
  if (bytes.size() < 4 + 4 * rank) {
    throw DataError(source, "the header ends too early; expected " +
                                std::to_string(4 + 4 * rank) + " bytes, got " +
                                std::to_string(bytes.size()));
  }
  std::optional<std::uint64_t> width = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    header.dimensions.push_back(detail::idx_dimension(bytes, 4 + 4 * i));
    if (header.dimensions.back() == 0) {
      throw DataError(source, "dimension " + std::to_string(i + 1) +
                                  " is 0; expected 1 or more");
    }
    if (i > 0 && width) width = checked_product(*width, header.dimensions[i]);
  }
  check_matrix_size(source, width.value_or(UINT64_MAX), header.num_instances());
  header.file_bytes =
      4 + 4 * rank +
      *width * header.num_instances() * detail::value_bytes(header.type);
  return header;
}

namespace detail {

/// Decodes an idx file into [num_features x num_instances].
inline Matrix read_idx_matrix(std::string_view bytes, const IdxHeader& header,
                              const std::string& source, int num_threads,
                              const PieceSizes& sizes = {},
                              char* consumed = nullptr) {
  if (bytes.size() != header.file_bytes) {
    throw DataError(source,
                    "the file's size does not fit its header; expected "
                    "" + std::to_string(header.file_bytes) +
                        " bytes, got " + std::to_string(bytes.size()));
  }
  const BinaryLayout layout{header.type, std::endian::big,
                            static_cast<Index>(header.num_features()),
                            static_cast<Index>(header.num_instances()), false};
  const std::size_t begin = 4 + 4 * header.dimensions.size();
  return read_binary_values(bytes.substr(begin), layout, source, num_threads,
                            sizes, consumed ? consumed + begin : nullptr);
}

/// Reads the features of an idx file as read_idx() does.
///
/// \param consumed  the bytes again if they may be released meanwhile, or null
inline Dataset read_idx_features(std::string_view bytes,
                                 const std::string& source, int num_threads,
                                 char* consumed) {
  Dataset data;
  data.features = read_idx_matrix(bytes, read_idx_header(bytes, source), source,
                                  num_threads, {}, consumed);
  data.source = source;
  return data;
}

}  // namespace detail

/// Reads the features of an idx file, such as the images of MNIST.
///
/// The first dimension is the number of instances; the others are flattened
/// into features. Numbers are not scaled: pixels are 0..255.
/// \param bytes        the file, not compressed
/// \param source       the file name shown in messages
/// \param num_threads  maximum number of threads, used for large files; does
///                     not change the result
/// \throws DataError if the header is wrong or does not match the size of the
///         file, or if a number is not finite
/// \source Y. LeCun, The MNIST database, "The IDX file format"
[[nodiscard]] inline Dataset read_idx(std::string_view bytes,
                                      const std::string& source,
                                      int num_threads = 1) {
  return detail::read_idx_features(bytes, source, num_threads, nullptr);
}

/// Reads the labels of an idx file with one dimension   [num_instances].
///
/// \throws DataError like read_idx(), and if there are more dimensions
[[nodiscard]] inline Vector read_idx_labels(std::string_view bytes,
                                            const std::string& source) {
  const IdxHeader header = read_idx_header(bytes, source);
  if (header.dimensions.size() != 1) {
    throw DataError(source, "expected labels in one dimension, got " +
                                std::to_string(header.dimensions.size()) +
                                " dimensions");
  }
  return detail::read_idx_matrix(bytes, header, source, 1).row(0).transpose();
}

}  // namespace mlp::datasets
