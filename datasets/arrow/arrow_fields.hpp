// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../csv/csv_quotes.hpp"
#include "../reading/limits.hpp"
#include "../reading/quoted.hpp"
#include "../reading/trim_blanks.hpp"
#include "arrow_interface.hpp"
#include "arrow_stream.hpp"
#include "arrow_type.hpp"
#include "arrow_values.hpp"

/// The fields of Arrow tables: what one number or text of a row is.
namespace mlp::datasets {

/// A table whose rows are read from a stream.
struct ArrowFile {
  /// The name for messages.
  std::string name;

  /// Opens a stream of some columns, by their ascending indices, or of all columns if
  /// there are no indices. A stream that exists once is returned each time, whatever
  /// the indices are.
  std::function<std::shared_ptr<ArrowStream>(const std::vector<Index>&)> open;

  /// -1 if it is not known, because the stream exists once.
  Index num_rows = -1;
};

namespace detail {

/// \throws DataError if a file has other rows than it states
inline void check_num_rows(const ArrowFile& file, Index num_rows) {
  if (file.num_rows < 0 || file.num_rows == num_rows) return;
  throw DataError(file.name, "states that it has " +
                                 std::to_string(file.num_rows) +
                                 " rows, but has " + std::to_string(num_rows) +
                                 "; it is damaged, or was changed meanwhile");
}

/// A column, or an element of a column of vectors.
struct ArrowField {
  std::string name;
  Index column = 0;
  Index element = -1;       ///< of a vector
  std::string vector_name;  ///< of its column
  ArrowType type;
  bool has_dictionary = false;
};

/// Returns the size of the first vector of a column.
///
/// \throws DataError if there is none, or it has no elements
inline Index first_vector_size(const ArrowFile& file, Index column,
                               const std::string& name) {
  const auto stream = file.open({column});
  const ArrowArray* const batch = stream->peek();
  const Index at = column < stream->num_columns() ? column : 0;
  if (batch != nullptr) {
    const ArrowVectors vectors(stream->column(at), *batch->children[at],
                               batch->offset);
    for (Index row = 0; row < batch->length; ++row) {
      const Index size = vectors.size(row);
      if (size < 0) continue;
      check_matrix_size(file.name, static_cast<std::uint64_t>(size), 1);
      if (size > 0) return size;
      break;
    }
  }
  throw DataError(file.name, "column " + in_quotes(name) +
                                 " has no vector with elements in its first "
                                 "rows; leave the column out");
}

/// Returns the fields of a table. A column of vectors has one for each element, named
/// by the column and the index of the element, such as features_0.
///
/// \throws DataError if a vector cannot be read
inline std::vector<ArrowField> arrow_fields(const ArrowFile& file) {
  const auto stream = file.open({});
  std::vector<ArrowField> fields;
  for (Index i = 0; i < stream->num_columns(); ++i) {
    const ArrowSchema& schema = stream->column(i);
    const std::string name(trim_blanks(stream->column_name(i)));
    const ArrowField field{
        name, i, -1, name, arrow_type(schema), schema.dictionary != nullptr};
    if (field.type.kind != ArrowKind::kVector) {
      fields.push_back(field);
      continue;
    }
    const Index size = first_vector_size(file, i, field.name);
    for (Index element = 0; element < size; ++element) {
      ArrowField& one = fields.emplace_back(field);
      one.name += '_' + std::to_string(element);
      one.element = element;
    }
  }
  return fields;
}

/// Appends a text as a field of a CSV file that is separated by commas.
///
/// \pre no blanks are around it
inline void append_csv_field(std::string& line, std::string_view text) {
  const bool is_plain = text.find_first_of("\",\r\n") == text.npos;
  if (is_plain && !text.empty()) {
    line += text;
    return;
  }
  append_in_double_quotes(line, text);
}

/// Returns the names of fields as the header of a CSV file.
inline std::string csv_header(const std::vector<ArrowField>& fields) {
  std::string line;
  for (const ArrowField& field : fields) {
    if (!line.empty()) line += ',';
    append_csv_field(line, field.name);
  }
  return line + '\n';
}

}  // namespace detail

}  // namespace mlp::datasets
