// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "column_encoding.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../datasets/column_encoder.hpp"
#include "../../../datasets/column_features.hpp"
#include "../../../datasets/left_out_columns.hpp"
#include "../../../datasets/missing_texts.hpp"
#include "../../../datasets/reading/known_columns.hpp"
#include "../../../datasets/reading/quoted.hpp"
#include "../bindings.hpp"

namespace mlp::python {

namespace {

using datasets::ColumnKind;
using datasets::InputColumn;
using Texts = std::vector<std::optional<std::string>>;

/// Returns numbers with NaN in place of those that mean a missing value.
Vector with_missing(Vector values, const datasets::MissingTexts& missing) {
  if (missing.numbers().empty()) return values;
  for (double& value : values) {
    if (missing.has_number(value)) value = std::nan("");
  }
  return values;
}

/// Writes the values of a column to its row.
void set_values(datasets::Dataset& data, std::size_t column,
                const Vector& values) {
  if (column == 0) {
    data.features.resize(static_cast<Index>(data.columns.size()),
                         values.size());
  }
  if (values.size() != data.num_instances()) {
    throw ShapeError("the columns of X must have equal lengths; expected " +
                     std::to_string(data.num_instances()) + " rows, got " +
                     std::to_string(values.size()));
  }
  data.features.row(static_cast<Index>(column)) = values.transpose();
}

/// Returns the different texts of a column, sorted.
std::vector<std::string> categories_of(const Texts& texts) {
  const datasets::MissingTexts missing;
  std::vector<std::string> categories;
  for (const auto& text : texts) {
    if (text && !missing.has(*text)) categories.push_back(*text);
  }
  std::sort(categories.begin(), categories.end());
  categories.erase(std::unique(categories.begin(), categories.end()),
                   categories.end());
  return categories;
}

/// Reads the columns of a table; their categories are those that occur.
datasets::Dataset read_columns(const std::vector<std::string>& names,
                               const nb::list& values) {
  datasets::Dataset data;
  data.feature_names = names;
  data.columns.resize(nb::len(values));
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    InputColumn& column = data.columns[i];
    if (!names.empty()) column.name = names[i];
    if (!nb::isinstance<nb::list>(values[i])) {
      set_values(data, i, to_vector(nb::cast<Numbers>(values[i])));
      continue;
    }
    const auto texts = nb::cast<Texts>(values[i]);
    column.kind = ColumnKind::kCategory;
    column.categories = categories_of(texts);
    set_values(data, i, datasets::category_codes(data.columns, i, texts));
  }
  return data;
}

/// Refuses columns of texts that hardly repeat: the texts may be numbers.
void check_repeats(const datasets::Dataset& data) {
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const auto& texts = data.columns[i].categories;
    const Index num_rows = data.num_instances();
    if (!datasets::hardly_repeat(texts.size(), num_rows)) continue;
    const bool are_numbers =
        datasets::count_no_numbers(texts) <= datasets::kMaxDistinct;
    throw DataError(datasets::describe_texts(
                        datasets::detail::describe_input(data.columns, i),
                        texts.size(), num_rows) +
                    ", such as " + datasets::in_quotes(texts.front()) +
                    (are_numbers
                         ? "; expected numbers as numbers; convert the column"
                         : "; expected categories that repeat; convert them to "
                           "numbers, or leave the column out"));
  }
}

}  // namespace

nb::object ColumnEncoding::encode(const nb::list& values) const {
  const datasets::MissingTexts missing = datasets::missing_texts_of(rules);
  datasets::Dataset data;
  data.columns = columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    set_values(
        data, i,
        columns[i].kind == ColumnKind::kCategory
            ? datasets::category_codes(columns, i, nb::cast<Texts>(values[i]),
                                       rules.unknown, missing)
            : with_missing(to_vector(nb::cast<Numbers>(values[i])), missing));
  }
  datasets::encode(data, columns);
  return to_array(std::move(data.features));
}

FittedEncoding fit_encoding(const std::vector<std::string>& names,
                            const nb::list& values,
                            const std::optional<Numbers>& weights) {
  FittedEncoding fitted;
  datasets::Dataset data = read_columns(names, values);
  if (weights) data.weights = to_vector(*weights);
  for (const auto& column : datasets::leave_out_columns(data)) {
    fitted.left_out.push_back(column.sentence);
  }
  check_repeats(data);
  std::vector<InputColumn> columns =
      datasets::choose_features(data, {true, true});
  datasets::recode(data, columns);
  datasets::fit_missing_values(data, columns);
  datasets::encode(data, columns);
  fitted.features = to_array(std::move(data.features));
  fitted.encoding.rules.unknown =
      datasets::stored_unknown_rule(columns, datasets::UnknownRule::kOther);
  fitted.encoding.columns = std::move(columns);
  return fitted;
}

void bind_column_encoding(nb::module_& module) {
  nb::class_<ColumnEncoding>(module, "ColumnEncoding",
                             "The columns of a model.")
      .def_prop_ro(
          "are_categories",
          [](const ColumnEncoding& encoding) {
            std::vector<bool> are_categories;
            for (const InputColumn& column : encoding.columns) {
              are_categories.push_back(column.kind == ColumnKind::kCategory);
            }
            return are_categories;
          })
      .def_prop_ro("column_names",
                   [](const ColumnEncoding& encoding) {
                     return datasets::column_names(encoding.columns);
                   })
      .def_prop_ro("feature_names",
                   [](const ColumnEncoding& encoding) {
                     return datasets::column_names(encoding.columns).empty()
                                ? std::vector<std::string>()
                                : datasets::expanded_names(encoding.columns);
                   })
      .def(
          "match_columns",
          [](const ColumnEncoding& encoding,
             const std::vector<std::string>& names) {
            return datasets::ColumnMatch(names).find(
                datasets::column_names(encoding.columns));
          },
          nb::arg("names"), "Finds the columns among those of a table.")
      .def(
          "is_missing_text",
          [](const ColumnEncoding& encoding, const std::string& text) {
            return datasets::missing_texts_of(encoding.rules).has(text);
          },
          nb::arg("text"),
          "Returns true for a text that means a missing value.")
      .def("encode", &ColumnEncoding::encode, nb::arg("values"),
           "Encodes the columns of a table as features.");
  nb::class_<FittedEncoding>(module, "FittedEncoding")
      .def_ro("encoding", &FittedEncoding::encoding)
      .def_ro("features", &FittedEncoding::features)
      .def_ro("left_out", &FittedEncoding::left_out);
  module.def("fit_encoding", &fit_encoding, nb::arg("names"), nb::arg("values"),
             nb::arg("weights").noconvert().none() = nb::none(),
             "Chooses the features of the columns of a table.");
}

}  // namespace mlp::python
