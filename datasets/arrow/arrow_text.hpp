// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../reading/trim_blanks.hpp"
#include "arrow_columns.hpp"
#include "arrow_fields.hpp"
#include "arrow_interface.hpp"
#include "arrow_stream.hpp"
#include "arrow_values.hpp"

/// The first rows of Arrow tables as the text of a CSV file.
namespace mlp::datasets::detail {

/// Writes the fields of rows. One that a CSV file cannot have becomes the name of its type.
class ArrowTextRows {
 public:
  /// \param fields  of the file
  /// \param stream  with all columns; must outlive this object, as the array
  ArrowTextRows(const std::vector<ArrowField>& fields,
                const ArrowStream& stream, const ArrowArray& array)
      : fields_(fields) {
    for (Index i = 0; i < stream.num_columns(); ++i) {
      const ArrowSchema& schema = stream.column(i);
      const ArrowArray& child = *array.children[i];
      const ArrowType type = arrow_type(schema);
      values_.emplace_back();
      vectors_.emplace_back();
      if (type.kind == ArrowKind::kVector) {
        vectors_.back().emplace(schema, child, array.offset);
      } else {
        values_.back().emplace(schema, child, array.offset);
      }
    }
  }

  void append(std::string& text, Index row) {
    for (const ArrowField& field : fields_) {
      const auto column = static_cast<std::size_t>(field.column);
      value_.clear();
      if (values_[column]) append_value(field, *values_[column], row);
      if (vectors_[column]) append_element(field, *vectors_[column], row);
      if (&field != &fields_.front()) text += ',';
      append_csv_field(text, trim_blanks(value_));
    }
    text += '\n';
  }

 private:
  void append_value(const ArrowField& field, const ArrowValues& values,
                    Index row) {
    if (field.type.has_text()) {
      values.append_text(value_, row);
    } else if (!values.is_null(row)) {
      value_ = field.type.what;
    }
  }

  void append_element(const ArrowField& field, const ArrowVectors& vectors,
                      Index row) {
    const Index size = vectors.size(row);
    if (field.element >= size) return;
    elements_.resize(static_cast<std::size_t>(size));
    if (!vectors.copy(row, elements_.data())) return;
    append_double(value_, elements_[static_cast<std::size_t>(field.element)]);
  }

  const std::vector<ArrowField>& fields_;
  std::vector<std::optional<ArrowValues>> values_;    ///< of each column
  std::vector<std::optional<ArrowVectors>> vectors_;  ///< of each column
  std::string value_;
  std::vector<double> elements_;
};

/// Returns the first rows of tables, at most 100,000 and fewer of many columns, with
/// their header. It opens the files again.
inline std::string table_text(const std::vector<ArrowFile>& files,
                              const ArrowColumns& columns) {
  constexpr Index kMostRows = 100'000;
  constexpr Index kMostFields = 4'000'000;
  const std::vector<ArrowField>& fields = columns.fields();
  std::string text = csv_header(fields);
  Index num_left = std::min(
      kMostRows,
      kMostFields / std::max<Index>(1, static_cast<Index>(fields.size())));
  for (const ArrowFile& file : files) {
    const auto stream = file.open({});
    const ArrowArray* array = nullptr;
    while (num_left > 0 && (array = stream->next()) != nullptr) {
      ArrowTextRows rows(fields, *stream, *array);
      const Index count = std::min(num_left, array->length);
      for (Index row = 0; row < count; ++row) rows.append(text, row);
      num_left -= count;
    }
  }
  return text;
}

}  // namespace mlp::datasets::detail
