// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "column_encoding.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../datasets/column_encoder.hpp"
#include "../../../datasets/column_features.hpp"
#include "../../../datasets/csv/csv_dialect.hpp"
#include "../../../datasets/csv/layout/row_names.hpp"
#include "../../../datasets/left_out_columns.hpp"
#include "../../../datasets/missing_texts.hpp"
#include "../../../datasets/missing_values.hpp"
#include "../../../datasets/reading/known_columns.hpp"
#include "../../../datasets/reading/quoted.hpp"
#include "../../../datasets/reading/trim_blanks.hpp"
#include "../bindings.hpp"

namespace mlp::python {

namespace {

using datasets::ColumnKind;
using datasets::InputColumn;
using Texts = std::vector<std::optional<std::string>>;

/// The texts of a column: each different one once, and of each row the place of its
/// text.
struct CodedTexts {
  using Codes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig,
                            nb::device::cpu>;

  /// \param pair  (texts, codes)
  explicit CodedTexts(const nb::handle& pair)
      : texts(nb::cast<Texts>(pair[0])), codes(nb::cast<Codes>(pair[1])) {}

  [[nodiscard]] std::size_t num_rows() const { return codes.shape(0); }

  [[nodiscard]] const std::optional<std::string>& text(std::size_t row) const {
    return texts.at(static_cast<std::size_t>(codes(row)));
  }

  /// Returns the number of each row's text.
  ///
  /// \param numbers  of the texts
  [[nodiscard]] Vector of_rows(const Vector& numbers) const {
    Vector rows(static_cast<Index>(num_rows()));
    for (std::size_t row = 0; row < num_rows(); ++row) {
      static_cast<void>(text(row));  // refuses a wrong code
      rows[static_cast<Index>(row)] = numbers[codes(row)];
    }
    return rows;
  }

  Texts texts;
  Codes codes;
};

/// Does what datasets::category_codes() does for the texts of all rows.
template <typename... Rules>
Vector category_codes(const std::vector<InputColumn>& columns, std::size_t at,
                      const CodedTexts& coded, const Rules&... rules) {
  try {
    return coded.of_rows(
        datasets::category_codes(columns, at, coded.texts, rules...));
  } catch (const DataError&) {
    // Its sentence names the place of a text, not its row.
    Texts texts;
    for (std::size_t row = 0; row < coded.num_rows(); ++row) {
      texts.push_back(coded.text(row));
    }
    return datasets::category_codes(columns, at, texts, rules...);
  }
}

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

/// Returns texts as a data file has them: without blanks around them.
Texts without_blanks(Texts texts) {
  for (auto& text : texts) {
    if (text) text = std::string(datasets::detail::trim_blanks(*text));
  }
  return texts;
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

/// Returns the number of a text, as a data file has it: blanks around it do not count.
std::optional<double> number_of(std::string_view text) {
  text = datasets::detail::trim_blanks(text);
  const auto boolean = datasets::detail::parse_boolean(text);
  return boolean ? boolean : parse_double(text);
}

/// Returns texts that are all numbers; NaN where one is missing.
Vector to_numbers(const Texts& texts) {
  const datasets::MissingTexts missing;
  Vector numbers(static_cast<Index>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_missing = !texts[i] || missing.has(*texts[i]);
    numbers[static_cast<Index>(i)] =
        is_missing ? std::nan("") : *number_of(*texts[i]);
  }
  return numbers;
}

/// Returns true if texts are numbers.
///
/// \throws DataError if some are, and some are not
bool are_numbers(const std::vector<std::string>& texts,
                 const std::string& column) {
  const auto is_number = [](const std::string& text) {
    return number_of(text).has_value();
  };
  const auto number = std::find_if(texts.begin(), texts.end(), is_number);
  if (number == texts.end()) return false;
  const auto text = std::find_if_not(texts.begin(), texts.end(), is_number);
  if (text == texts.end()) return true;
  throw DataError(column + " has both numbers, such as " +
                  datasets::in_quotes(*number) + ", and texts, such as " +
                  datasets::in_quotes(*text) +
                  "; expected one kind; correct the column, or make all its "
                  "values categories, with astype('category') of pandas");
}

void check_finite(const Vector& numbers, const std::string& column) {
  for (Index i = 0; i < numbers.size(); ++i) {
    if (!std::isinf(numbers[i])) continue;
    throw DataError("row " + std::to_string(i) + ": " + column +
                    " must be finite; got " + format_double(numbers[i]));
  }
}

/// Writes the numbers of a column to its row.
void set_numbers(datasets::Dataset& data, std::size_t column,
                 const Vector& numbers) {
  check_finite(numbers, datasets::detail::describe_input(data.columns, column));
  set_values(data, column, numbers);
}

/// Returns true if 'NA' among texts may be a code of two letters.
///
/// \param categories  of the texts
bool have_code(const Texts& texts, const std::vector<std::string>& categories) {
  return datasets::are_two_letter_codes(categories) &&
         std::find(texts.begin(), texts.end(), "NA") != texts.end();
}

/// Reads the columns of a table; their categories are those that occur. Texts that are
/// all numbers are numbers, as in a data file, unless they are chosen as categories.
///
/// \param[out] have_codes  true for columns whose 'NA' may be a code
datasets::Dataset read_columns(const std::vector<std::string>& names,
                               const nb::list& values,
                               const std::vector<bool>& are_chosen,
                               std::vector<bool>& have_codes) {
  datasets::Dataset data;
  data.feature_names = names;
  data.columns.resize(nb::len(values));
  have_codes.assign(data.columns.size(), false);
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    InputColumn& column = data.columns[i];
    if (!names.empty()) column.name = names[i];
    if (!nb::isinstance<nb::tuple>(values[i])) {
      set_numbers(data, i, to_vector(nb::cast<Numbers>(values[i])));
      continue;
    }
    CodedTexts coded(values[i]);
    coded.texts = without_blanks(std::move(coded.texts));
    const Texts& texts = coded.texts;
    std::vector<std::string> categories = categories_of(texts);
    if (!are_chosen[i] &&
        are_numbers(categories,
                    datasets::detail::describe_input(data.columns, i))) {
      set_numbers(data, i, coded.of_rows(to_numbers(texts)));
      continue;
    }
    have_codes[i] = have_code(texts, categories);
    column.kind = ColumnKind::kCategory;
    column.categories = std::move(categories);
    set_values(data, i, category_codes(data.columns, i, coded));
  }
  return data;
}

/// Refuses columns of texts that hardly repeat and stay: they have units.
void check_repeats(const datasets::Dataset& data,
                   const std::vector<bool>& are_chosen) {
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const auto& texts = data.columns[i].categories;
    const Index num_rows = data.num_instances();
    if (are_chosen[i] || !datasets::hardly_repeat(texts.size(), num_rows)) {
      continue;
    }
    throw DataError(
        datasets::describe_texts(
            datasets::detail::describe_input(data.columns, i), texts.size(),
            num_rows) +
        ", such as " + datasets::in_quotes(texts.front()) +
        "; expected categories that repeat; convert them to numbers, or leave "
        "the column out");
  }
}

/// Removes the entries of columns that are left out.
template <class List>
void keep(List& list, const std::vector<Index>& kept) {
  List some;
  for (const Index at : kept) {
    some.push_back(list[static_cast<std::size_t>(at)]);
  }
  list = std::move(some);
}

/// Warns of columns whose 'NA' may be a code. A feature or a category says where the
/// values of all columns are missing.
std::vector<std::string> warn_of_codes(const datasets::Dataset& data,
                                       const std::vector<bool>& have_codes) {
  datasets::MissingValues missing;
  for (std::size_t i = 0; i < have_codes.size(); ++i) {
    if (!have_codes[i]) continue;
    missing.codes.push_back(datasets::detail::describe_input(data.columns, i));
  }
  return datasets::warn_of_missing(missing, datasets::MissingRule::kMean, true);
}

/// Returns true if a column has categories or lacks a value.
bool needs_encoding(const datasets::Dataset& data) {
  return datasets::has_categories(data.columns) || data.features.hasNaN();
}

}  // namespace

EncodedColumns ColumnEncoding::encode(const nb::list& values) const {
  const datasets::MissingTexts texts = datasets::missing_texts_of(rules);
  datasets::Dataset data;
  data.columns = columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    set_values(
        data, i,
        columns[i].kind == ColumnKind::kCategory
            ? category_codes(columns, i, CodedTexts(values[i]), rules.unknown,
                             texts)
            : with_missing(to_vector(nb::cast<Numbers>(values[i])), texts));
  }
  const datasets::MissingValues missing =
      datasets::count_missing(data, columns, rules.unknown);
  std::vector<std::string> notes;
  if (datasets::has_unlearned_missing(missing, columns)) {
    notes.push_back(
        datasets::describe_replaced(missing, datasets::kValuesOfModel));
  }
  if (missing.num_unknown != 0) {
    notes.push_back(datasets::describe_unknown(missing, columns));
  }
  for (auto& warning : datasets::warn_of_unknown(missing, columns)) {
    notes.push_back(std::move(warning));
  }
  datasets::encode(data, columns);
  return {to_array(std::move(data.features)), std::move(notes)};
}

FittedEncoding fit_encoding(const std::vector<std::string>& names,
                            const nb::list& values,
                            std::vector<bool> are_chosen,
                            const std::optional<Numbers>& weights) {
  FittedEncoding fitted;
  std::vector<bool> have_codes;
  datasets::Dataset data = read_columns(names, values, are_chosen, have_codes);
  if (weights) data.weights = to_vector(*weights);
  fitted.taken.resize(data.columns.size());
  std::iota(fitted.taken.begin(), fitted.taken.end(), Index{0});
  for (const auto& column : datasets::leave_out_columns(data, are_chosen)) {
    fitted.left_out.push_back(column.sentence);
    std::erase(fitted.taken, column.column);
  }
  keep(are_chosen, fitted.taken);
  keep(have_codes, fitted.taken);
  check_repeats(data, are_chosen);
  fitted.warnings = warn_of_codes(data, have_codes);
  fitted.feature_names = data.feature_names;
  if (needs_encoding(data)) {
    std::vector<InputColumn> columns =
        datasets::choose_features(data, {true, true});
    datasets::recode(data, columns);
    datasets::fit_missing_values(data, columns);
    datasets::encode(data, columns);
    fitted.feature_names = data.feature_names;
    fitted.encoding.rules.unknown =
        datasets::stored_unknown_rule(columns, datasets::UnknownRule::kOther);
    fitted.encoding.columns = std::move(columns);
  }
  fitted.features = to_array(std::move(data.features));
  return fitted;
}

namespace {

/// Binds what tells how a data file would be read.
void bind_texts(nb::module_& module) {
  nb::list names;
  for (const std::string_view name : datasets::kRowNumberNames) {
    names.append(nb::str(name.data(), name.size()));
  }
  module.attr("row_number_names") = names;
  module.def(
      "is_stored_index",
      [](const std::string& name) {
        return datasets::detail::is_stored_index(name);
      },
      nb::arg("name"),
      "Returns true for the name of a column of row names that pandas stored.");
  module.def(
      "number_of", [](const std::string& text) { return number_of(text); },
      nb::arg("text"),
      "Returns the number of a text, as a data file has it; None if it "
      "has none.");
}

}  // namespace

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
            return datasets::missing_texts_of(encoding.rules)
                .has(datasets::detail::trim_blanks(text));
          },
          nb::arg("text"),
          "Returns true for a text that means a missing value, as a data file "
          "has it.")
      .def("encode", &ColumnEncoding::encode, nb::arg("values"),
           "Encodes the columns of a table as features.");
  nb::class_<FittedEncoding>(module, "FittedEncoding")
      .def_ro("encoding", &FittedEncoding::encoding)
      .def_ro("features", &FittedEncoding::features)
      .def_ro("feature_names", &FittedEncoding::feature_names)
      .def_ro("taken", &FittedEncoding::taken)
      .def_ro("left_out", &FittedEncoding::left_out)
      .def_ro("warnings", &FittedEncoding::warnings);
  bind_texts(module);
  module.def("fit_encoding", &fit_encoding, nb::arg("names"), nb::arg("values"),
             nb::arg("are_chosen"),
             nb::arg("weights").noconvert().none() = nb::none(),
             "Chooses the features of the columns of a table.");
}

}  // namespace mlp::python
