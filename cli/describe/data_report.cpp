// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../datasets/reading/quoted.hpp"
#include "../../datasets/standard_scaler.hpp"
#include "../console/json_output.hpp"
#include "../console/metric_text.hpp"
#include "../console/text_table.hpp"

namespace mlp::cli {

namespace {

/// The largest number of features or classes listed in the text report.
constexpr std::size_t kMaxShown = 20;

/// Statistics of the numbers of each column   [num_features] each.
struct ColumnRanges {
  Vector minimum;
  Vector mean;
  Vector maximum;
  Vector deviation;  ///< with divisor n - 1, as --standardize uses it
  std::vector<bool> are_integers;
};

/// Measures the rows of a matrix   [columns x instances]
ColumnRanges measure_columns(const Matrix& columns) {
  const auto scaler = datasets::StandardScaler::fit(columns);
  ColumnRanges ranges{columns.rowwise().minCoeff(), scaler.mean,
                      columns.rowwise().maxCoeff(), scaler.standard_deviation,
                      std::vector<bool>()};
  ranges.are_integers.assign(static_cast<std::size_t>(columns.rows()), true);
  for (Index j = 0; j < columns.cols(); ++j) {
    for (Index i = 0; i < columns.rows(); ++i) {
      if (columns(i, j) == std::floor(columns(i, j))) continue;
      ranges.are_integers[static_cast<std::size_t>(i)] = false;
    }
  }
  return ranges;
}

/// Returns the values of a feature that are not missing   [1 x any].
Matrix known_values(const datasets::Dataset& data, Index feature) {
  Matrix known(1, data.num_instances());
  Index count = 0;
  for (const double value : data.features.row(feature)) {
    if (!std::isnan(value)) known(0, count++) = value;
  }
  return known.leftCols(count);
}

using ClassCounts = std::vector<std::pair<std::string, Index>>;

bool is_category(const datasets::Dataset& data, Index feature) {
  return !data.columns.empty() &&
         data.columns[static_cast<std::size_t>(feature)].kind ==
             datasets::ColumnKind::kCategory;
}

/// Measures the first features. Missing values do not count, and categories have
/// no numbers: theirs are NaN.
ColumnRanges measure_features(const datasets::Dataset& data, Index num_shown) {
  if (data.columns.empty() && num_shown == data.num_features()) {
    return measure_columns(data.features);
  }
  if (data.columns.empty()) {
    return measure_columns(Matrix(data.features.topRows(num_shown)));
  }
  const Vector nothing = Vector::Constant(num_shown, std::nan(""));
  ColumnRanges ranges{nothing, nothing, nothing, nothing, {}};
  for (Index i = 0; i < num_shown; ++i) {
    ranges.are_integers.push_back(false);
    if (is_category(data, i)) continue;
    const ColumnRanges one = measure_columns(known_values(data, i));
    ranges.minimum[i] = one.minimum[0];
    ranges.mean[i] = one.mean[0];
    ranges.maximum[i] = one.maximum[0];
    ranges.deviation[i] = one.deviation[0];
    ranges.are_integers.back() = one.are_integers[0];
  }
  return ranges;
}

std::string column_type(const ColumnRanges& ranges, Index column) {
  if (std::isnan(ranges.minimum[column])) return "category";
  if (ranges.minimum[column] == ranges.maximum[column]) return "constant";
  return ranges.are_integers[static_cast<std::size_t>(column)] ? "integer"
                                                               : "number";
}

/// Counts how often each class occurs, in the order of the class indices.
ClassCounts count_classes(const DataReport& report) {
  const std::vector<std::string>& names = report.classes.names;
  std::vector<Index> counts(static_cast<std::size_t>(report.classes.count), 0);
  for (const double label : report.data.labels) {
    ++counts[static_cast<std::size_t>(label)];
  }
  ClassCounts classes;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    classes.emplace_back(i < names.size() ? names[i] : std::to_string(i),
                         counts[i]);
  }
  return classes;
}

/// Counts how often each category of a feature occurs, in their order; empty for
/// a feature of numbers.
std::vector<Index> count_categories(const datasets::Dataset& data,
                                    Index feature) {
  if (!is_category(data, feature)) return {};
  const auto& column = data.columns[static_cast<std::size_t>(feature)];
  std::vector<Index> counts(column.categories.size());
  for (const double code : data.features.row(feature)) {
    if (!std::isnan(code)) ++counts[static_cast<std::size_t>(code)];
  }
  return counts;
}

bool has_classes(const DataReport& report) {
  return report.data.has_labels() && !report.is_regression;
}

/// Returns what the labels are: indices, names, texts or numbers.
std::string label_kind(const DataReport& report) {
  if (report.is_regression) return "number";
  if (report.has_texts) return "text";
  return report.classes.names.empty() ? "index" : "name";
}

std::string file_format(const DataReport& report) {
  if (report.delimiter != 0) return "CSV";
  if (report.has_header) return "Parquet or Arrow";
  return report.data.vector_kind == datasets::VectorKind::kSparse
             ? "LIBSVM"
             : "npy or idx";
}

std::string feature_name(const DataReport& report, Index feature) {
  const auto& names = report.data.feature_names.empty()
                          ? report.feature_columns
                          : report.data.feature_names;
  return names.empty() ? std::to_string(feature)
                       : names[static_cast<std::size_t>(feature)];
}

/// Returns a number with six digits; empty for NaN.
std::string number_cell(double number) {
  return std::isnan(number) ? "" : six_digits(number);
}

std::string describe_rest(std::size_t num_all) {
  if (num_all <= kMaxShown) return "";
  return "and " + std::to_string(num_all - kMaxShown) +
         " more; --json lists all of them\n";
}

/// Returns the cells of a column after its name.
std::vector<std::string> range_cells(const ColumnRanges& ranges, Index column) {
  return {column_type(ranges, column), number_cell(ranges.minimum[column]),
          number_cell(ranges.mean[column]), number_cell(ranges.maximum[column]),
          number_cell(ranges.deviation[column])};
}

std::vector<std::string> range_row(std::string name, const ColumnRanges& ranges,
                                   Index column) {
  std::vector<std::string> row = range_cells(ranges, column);
  row.insert(row.begin(), std::move(name));
  return row;
}

/// Returns the names of the cells of range_row().
///
/// \param name  of the first column
std::vector<std::string> range_header(const std::string& name) {
  return {name, "type", "minimum", "mean", "maximum", "deviation"};
}

std::string format_ranges(const DataReport& report) {
  const datasets::Dataset& data = report.data;
  const Index num_shown =
      std::min(data.num_features(), static_cast<Index>(kMaxShown));
  const ColumnRanges ranges = measure_features(data, num_shown);
  const bool has_missing = !report.missing.empty();
  std::vector<std::string> header = range_header("feature");
  if (has_missing) header.push_back("missing");
  TextTable table(std::move(header));
  for (Index i = 0; i < num_shown; ++i) {
    std::vector<std::string> row =
        range_row(feature_name(report, i), ranges, i);
    if (has_missing) {
      row.push_back(
          std::to_string(report.missing[static_cast<std::size_t>(i)]));
    }
    table.add(std::move(row));
  }
  return table.text() +
         describe_rest(static_cast<std::size_t>(data.num_features()));
}

/// Lists the categories of all features; empty if there are none.
std::string format_categories(const DataReport& report) {
  const datasets::Dataset& data = report.data;
  if (!datasets::has_categories(data.columns)) return "";
  TextTable table({"category", "instances"});
  std::size_t count = 0;
  for (Index i = 0; i < data.num_features(); ++i) {
    const auto& texts = data.columns[static_cast<std::size_t>(i)].categories;
    const std::vector<Index> counts = count_categories(data, i);
    for (std::size_t k = 0; k < texts.size(); ++k) {
      if (count++ >= kMaxShown) continue;
      table.add({feature_name(report, i) + '=' + texts[k],
                 std::to_string(counts[k])});
    }
  }
  return '\n' + table.text() + describe_rest(count);
}

/// Adds the counts of missing values and the categories, if there are any.
void add_columns(JsonObject& json, const DataReport& report) {
  const datasets::Dataset& data = report.data;
  if (!report.missing.empty()) json.add("missing", report.missing);
  if (!datasets::has_categories(data.columns)) return;
  std::vector<std::vector<std::string>> texts;
  std::vector<std::vector<Index>> counts;
  for (Index i = 0; i < data.num_features(); ++i) {
    texts.push_back(data.columns[static_cast<std::size_t>(i)].categories);
    counts.push_back(count_categories(data, i));
  }
  json.add("categories", texts).add("categoryRows", counts);
}

std::string target_name(const datasets::Dataset& data, Index target) {
  if (!data.target_names.empty()) {
    return data.target_names[static_cast<std::size_t>(target)];
  }
  return data.label_name.empty() ? "label" : data.label_name;
}

std::string format_targets(const datasets::Dataset& data) {
  TextTable table(range_header("label"));
  const ColumnRanges ranges = measure_columns(data.target_matrix());
  for (Index i = 0; i < data.target_matrix().rows(); ++i) {
    table.add(range_row(target_name(data, i), ranges, i));
  }
  return table.text();
}

/// Adds the ranges of the labels of a regression: lists if there are several.
void add_targets(JsonObject& json, const datasets::Dataset& data) {
  const ColumnRanges ranges = measure_columns(data.target_matrix());
  const bool is_list = data.targets.size() != 0;
  if (is_list) json.add("labelNames", data.target_names);
  const auto add = [&](const char* name, const Vector& numbers) {
    if (is_list) {
      json.add(name, numbers);
    } else {
      json.add(name, numbers[0]);
    }
  };
  add("labelMinimum", ranges.minimum);
  add("labelMean", ranges.mean);
  add("labelMaximum", ranges.maximum);
  add("labelDeviation", ranges.deviation);
}

std::string format_classes(const DataReport& report) {
  const std::string& name = report.data.label_name;
  const ClassCounts classes = count_classes(report);
  TextTable table({name.empty() ? "label" : name, "instances"});
  for (std::size_t i = 0; i < std::min(classes.size(), kMaxShown); ++i) {
    table.add({classes[i].first, std::to_string(classes[i].second)});
  }
  return table.text() + describe_rest(classes.size());
}

std::string delimiter_name(char delimiter) {
  if (delimiter == '\t') return "a tab";
  if (delimiter == ' ') return "spaces";
  return std::string("'") + delimiter + '\'';
}

/// Returns the names of several files.
std::vector<std::string> file_names(const datasets::Dataset& data) {
  std::vector<std::string> names;
  for (const datasets::SourceFile& file : data.files) {
    names.push_back(file.name);
  }
  return names;
}

/// Returns the number of files, if there are several.
std::string describe_files(const datasets::Dataset& data) {
  if (data.files.empty()) return "";
  return " in " + std::to_string(data.files.size()) + " files";
}

std::string describe_format(const DataReport& report) {
  std::string text = file_format(report);
  if (report.delimiter == 0) return text;
  text += report.has_header ? " with a header" : " without a header";
  return text + ", separated by " + delimiter_name(report.delimiter);
}

std::string describe_label(const DataReport& report) {
  if (!report.data.has_labels()) {
    return "none; train needs the file that has them: --labels";
  }
  std::string text;
  if (report.chosen_label) {
    const datasets::ChosenLabel& label = *report.chosen_label;
    text = "column " + std::to_string(label.column) +
           (label.name.empty() ? ""
                               : " (" + datasets::in_quotes(label.name) + ")") +
           ", ";
  }
  if (report.is_regression) return text + "numbers to predict";
  const std::string kind = label_kind(report);
  return text + std::to_string(count_classes(report).size()) +
         (kind == "index"  ? " classes by index"
          : kind == "name" ? " classes, whose names are integers"
                           : " classes by name");
}

}  // namespace

std::string format_data_json(const DataReport& report) {
  const datasets::Dataset& data = report.data;
  const ColumnRanges ranges = measure_features(data, data.num_features());
  std::vector<std::string> types;
  for (Index i = 0; i < data.num_features(); ++i) {
    types.push_back(column_type(ranges, i));
  }
  JsonObject json;
  json.add("file", data.source);
  if (!data.files.empty()) json.add("files", file_names(data));
  json.add("format", file_format(report));
  if (report.delimiter != 0) {
    json.add("delimiter", std::string(1, report.delimiter))
        .add("header", report.has_header);
  }
  json.add("rows", data.num_instances()).add("features", data.num_features());
  if (!data.feature_names.empty()) json.add("featureNames", data.feature_names);
  json.add("types", types)
      .add("minimum", ranges.minimum)
      .add("mean", ranges.mean)
      .add("maximum", ranges.maximum)
      .add("deviation", ranges.deviation);
  add_columns(json, report);
  if (report.command) json.add("command", *report.command);
  if (!data.has_labels()) return json.text();
  if (!data.label_name.empty()) json.add("label", data.label_name);
  if (report.chosen_label) {
    json.add("labelColumn", report.chosen_label->column);
  }
  json.add("labelKind", label_kind(report));
  if (!has_classes(report)) {
    add_targets(json, data);
    return json.text();
  }
  std::vector<std::string> names;
  std::vector<Index> counts;
  for (const auto& [name, count] : count_classes(report)) {
    names.push_back(name);
    counts.push_back(count);
  }
  return json.add("classes", names).add("classRows", counts).text();
}

std::string format_data_text(const DataReport& report) {
  const datasets::Dataset& data = report.data;
  std::string text = std::to_string(data.num_instances()) + " instances of " +
                     std::to_string(data.num_features()) + " features" +
                     describe_files(data) + '\n' + "format  " +
                     describe_format(report) + '\n' + "label   " +
                     describe_label(report) + "\n\n" + format_ranges(report) +
                     format_categories(report);
  if (!data.has_labels()) return text;
  return text + '\n' +
         (has_classes(report) ? format_classes(report) : format_targets(data));
}

}  // namespace mlp::cli
