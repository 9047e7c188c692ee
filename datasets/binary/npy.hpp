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
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/limits.hpp"
#include "../reading/quoted.hpp"
#include "../reading/reader_threads.hpp"
#include "binary_values.hpp"

/// Reader for NumPy's .npy files.
namespace mlp::datasets {

/// Returns true if the bytes start like a .npy file.
[[nodiscard]] inline bool is_npy(std::string_view bytes) {
  return bytes.substr(0, 6) == "\x93NUMPY";
}

namespace detail {

/// The header of a .npy file.
struct NpyHeader {
  ValueType type = ValueType::kFloat64;
  std::endian byte_order = std::endian::little;
  bool is_fortran_order = false;
  std::vector<std::uint64_t> shape;

  /// Size of the header in bytes.
  std::size_t bytes = 0;
};

/// Returns the number type of a dtype without byte order, such as "f8".
inline std::optional<ValueType> npy_type(std::string_view code) {
  constexpr std::pair<std::string_view, ValueType> kTypes[] = {
      {"f4", ValueType::kFloat32}, {"f8", ValueType::kFloat64},
      {"i1", ValueType::kInt8},    {"i2", ValueType::kInt16},
      {"i4", ValueType::kInt32},   {"i8", ValueType::kInt64},
      {"u1", ValueType::kUint8},   {"u2", ValueType::kUint16},
      {"u4", ValueType::kUint32},  {"u8", ValueType::kUint64}};
  for (const auto& [name, type] : kTypes) {
    if (name == code) return type;
  }
  return std::nullopt;
}

/// Parses the text of a header: a Python dictionary with the keys descr,
/// fortran_order and shape.
class NpyDictionaryReader {
 public:
  NpyDictionaryReader(std::string_view text, std::string source)
      : rest_(text), source_(std::move(source)) {}

  void read(NpyHeader& header) {
    expect('{');
    while (!accept('}')) {
      read_entry(header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) throw_at_rest("its end");
    if (!has_type_ || !has_order_ || !has_shape_) {
      throw DataError(source_,
                      "the header is incomplete; expected 'descr', "
                      "'fortran_order' and 'shape'");
    }
  }

 private:
  void read_entry(NpyHeader& header) {
    const std::string_view key = read_text();
    expect(':');
    bool* const is_known = key == "descr"           ? &has_type_
                           : key == "fortran_order" ? &has_order_
                           : key == "shape"         ? &has_shape_
                                                    : nullptr;
    if (is_known == nullptr || *is_known) {
      throw DataError(source_, "the header has the key " + in_quotes(key) +
                                   "; expected 'descr', 'fortran_order' and "
                                   "'shape', each once");
    }
    *is_known = true;
    if (key == "descr") {
      read_type(header);
    } else if (key == "shape") {
      read_shape(header.shape);
    } else {
      header.is_fortran_order = read_bool();
    }
  }

  void read_type(NpyHeader& header) {
    skip_spaces();
    if (!rest_.empty() && rest_.front() == '[') {
      throw DataError(source_,
                      "the array holds records; expected an array of "
                      "plain numbers");
    }
    const std::string_view text = read_text();
    if (text.find('O') != std::string_view::npos) {
      throw DataError(source_,
                      "the array holds Python objects, which are a pickle: "
                      "loading one can run any code; expected plain numbers; "
                      "convert it, for example by x.astype(float)");
    }
    const char order = text.empty() ? '?' : text.front();
    const auto type = npy_type(text.substr(text.empty() ? 0 : 1));
    const bool has_order =
        order == '<' || order == '>' || order == '=' || order == '|';
    if (!type || !has_order || (order == '|' && value_bytes(*type) != 1)) {
      throw DataError(source_, "the array is of the type " + in_quotes(text) +
                                   "; expected f4, f8, or i or u of 1, 2, 4 or "
                                   "8 bytes");
    }
    header.type = *type;
    header.byte_order = order == '>' ? std::endian::big : std::endian::little;
  }

  void read_shape(std::vector<std::uint64_t>& shape) {
    expect('(');
    while (!accept(')')) {
      shape.push_back(read_size());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    if (shape.size() > kMaxDimensions) {
      throw DataError(source_, "too many dimensions; expected at most " +
                                   std::to_string(kMaxDimensions) + ", got " +
                                   std::to_string(shape.size()));
    }
  }

  std::uint64_t read_size() {
    skip_spaces();
    const std::size_t end = rest_.find_first_not_of("0123456789");
    const auto size = parse_int(rest_.substr(0, end));
    if (!size) throw_at_rest("a size");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    return static_cast<std::uint64_t>(*size);
  }

  bool read_bool() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    throw_at_rest("True or False");
  }

  std::string_view read_text() {
    skip_spaces();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      throw_at_rest("a text in quotes");
    }
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void skip_spaces() {
    const std::size_t end = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
  }

  bool accept(char symbol) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != symbol) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char symbol) {
    if (!accept(symbol)) throw_at_rest(in_quotes(std::string_view(&symbol, 1)));
  }

  [[noreturn]] void throw_at_rest(const std::string& expected) const {
    throw DataError(source_, "the header is broken; expected " + expected +
                                 ", got " + in_quotes(rest_));
  }

  static constexpr std::size_t kMaxDimensions = 64;

  std::string_view rest_;
  std::string source_;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// Reads the header of a .npy file of version 1, 2 or 3.
///
/// \throws DataError if this is not a .npy file or its number type is not
///         supported
inline NpyHeader read_npy_header(std::string_view bytes,
                                 const std::string& source) {
  if (!is_npy(bytes)) {
    throw DataError(source,
                    "is not a .npy file; expected it to start with \\x93NUMPY");
  }
  const unsigned version =
      bytes.size() > 7 ? static_cast<unsigned char>(bytes[6]) : 1u;
  if (version < 1 || version > 3) {
    throw DataError(source, "is of the .npy version " +
                                std::to_string(version) +
                                "; expected 1, 2 or 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t text_begin = 8 + length_bytes;
  std::size_t text_bytes = 0;
  for (std::size_t i = text_begin; i-- > 8 && bytes.size() >= text_begin;) {
    text_bytes = text_bytes << 8 | static_cast<unsigned char>(bytes[i]);
  }
  if (bytes.size() < text_begin || bytes.size() - text_begin < text_bytes) {
    throw DataError(source, "the header ends too early; expected " +
                                std::to_string(text_begin + text_bytes) +
                                " bytes, got " + std::to_string(bytes.size()));
  }
  NpyHeader header;
  header.bytes = text_begin + text_bytes;
  NpyDictionaryReader(bytes.substr(text_begin, text_bytes), source)
      .read(header);
  if (header.shape.empty()) {
    throw DataError(source,
                    "the array is a single number; expected one "
                    "dimension or two");
  }
  return header;
}

/// Decodes an array of shape [num_instances, num_features].
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
