// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/limits.hpp"
#include "../reading/piece_sizes.hpp"
#include "binary_values.hpp"
#include "npy_header.hpp"

/// Reader for NumPy's .npy files.
namespace mlp::datasets {

namespace detail {

/// Decodes an array of shape [num_instances, num_features].
///
/// \param consumed  the bytes again if they may be released meanwhile, or null
inline Matrix read_npy_matrix(std::string_view bytes, const NpyHeader& header,
                              const std::string& source, int num_threads,
                              const PieceSizes& sizes = {},
                              char* consumed = nullptr) {
  const std::uint64_t num_instances = header.shape[0];
  const std::uint64_t num_features =
      header.shape.size() == 1 ? 1 : header.shape[1];
  if (num_instances == 0 || num_features == 0) {
    throw DataError(source,
                    "the array is empty; expected at least one instance and "
                    "one feature, got " +
                        std::to_string(num_instances) + " instances of " +
                        std::to_string(num_features) + " features");
  }
  check_matrix_size(source, num_features, num_instances);
  const std::uint64_t expected =
      num_instances * num_features * value_bytes(header.type);
  const std::string_view values = bytes.substr(header.bytes);
  if (values.size() != expected) {
    throw DataError(source,
                    "the file's size does not fit the shape in its header; "
                    "expected " +
                        std::to_string(expected) + " bytes of numbers, got " +
                        std::to_string(values.size()));
  }
  const BinaryLayout layout{
      header.type, header.byte_order, static_cast<Index>(num_features),
      static_cast<Index>(num_instances), header.is_fortran_order};
  return read_binary_values(values, layout, source, num_threads, sizes,
                            consumed ? consumed + header.bytes : nullptr);
}

/// Reads the features of a .npy file as read_npy() does.
///
/// \param consumed  the bytes again if they may be released meanwhile, or null
inline Dataset read_npy_features(std::string_view bytes,
                                 const std::string& source, int num_threads,
                                 char* consumed) {
  const NpyHeader header = read_npy_header(bytes, source);
  if (header.shape.size() != 2) {
    throw DataError(source,
                    "expected an array of two dimensions, instances by "
                    "features, got " +
                        std::to_string(header.shape.size()) +
                        "; reshape it, for example by x.reshape(len(x), -1)");
  }
  Dataset data;
  data.features =
      read_npy_matrix(bytes, header, source, num_threads, {}, consumed);
  data.source = source;
  return data;
}

}  // namespace detail

/// Reads the features of a .npy file, as numpy.save() writes it.
///
/// The array has two dimensions, instances by features.
/// \param bytes        the file
/// \param source       the file name shown in messages
/// \param num_threads  maximum number of threads, used for large files; does
///                     not change the result
/// \throws DataError if the header is wrong or does not match the size of the
///         file, if the type is neither an integer nor a float of 4 or 8 bytes,
///         or if a number is not finite
/// \source NumPy Enhancement Proposal 1
[[nodiscard]] inline Dataset read_npy(std::string_view bytes,
                                      const std::string& source,
                                      int num_threads = 1) {
  return detail::read_npy_features(bytes, source, num_threads, nullptr);
}

/// Reads the labels of a .npy file   [num_instances].
///
/// The array has one dimension, or two dimensions and one column.
/// \throws DataError like read_npy(), and if the array has another shape
[[nodiscard]] inline Vector read_npy_labels(std::string_view bytes,
                                            const std::string& source) {
  const detail::NpyHeader header = detail::read_npy_header(bytes, source);
  const bool is_column = header.shape.size() == 2 && header.shape[1] == 1;
  if (header.shape.size() != 1 && !is_column) {
    throw DataError(source,
                    "expected labels in one dimension, got an array of " +
                        std::to_string(header.shape.size()) + " dimensions");
  }
  return detail::read_npy_matrix(bytes, header, source, 1).row(0).transpose();
}

}  // namespace mlp::datasets
