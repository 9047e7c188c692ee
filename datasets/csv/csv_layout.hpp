// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../reading/quoted.hpp"
#include "csv_header.hpp"
#include "csv_options.hpp"
#include "csv_scanner.hpp"

/// The layout of a CSV file: which columns are features, label and weight.
namespace mlp::datasets::detail {

/// The slot of a column is the index of its feature or one of these values.
inline constexpr Index kLabelSlot = -1;
inline constexpr Index kIgnoredSlot = -2;
inline constexpr Index kWeightSlot = -3;

/// The role of each column of a CSV file.
struct CsvLayout {
  char delimiter = ',';
  bool has_header = false;

  /// The slot of each column   [num_columns].
  std::vector<Index> slots;

  /// [num_columns]; empty without a header.
  std::vector<std::string> column_names;

  std::optional<ChosenLabel> label;

  /// 0-based; -1 if no column has the weights.
  Index weight_column = -1;

  Index num_features = 0;

  [[nodiscard]] Index num_columns() const {
    return static_cast<Index>(slots.size());
  }
};

/// Determines the layout of a CSV file from its first record and the options.
class CsvLayoutFinder {
 public:
  /// \param options  must outlive this object
  /// \throws DataError if the text has no record; ParamError if the delimiter
  ///         is not supported
  CsvLayoutFinder(std::string_view text, std::string source,
                  const CsvOptions& options)
      : source_(std::move(source)), options_(options) {
    if (options.delimiter != 0 &&
        kDelimiters.find(options.delimiter) == std::string_view::npos) {
      throw ParamError("delimiter must be ',' or ';' or a tab, got " +
                       in_quotes(std::string_view(&options.delimiter, 1)));
    }
    layout_.delimiter =
        options.delimiter != 0 ? options.delimiter : sniff_delimiter(text);
    CsvScanner scanner(text, layout_.delimiter, source_);
    if (!scanner.next_record()) {
      throw DataError(source_, "holds no data; expected rows of numbers");
    }
    do {
      row_.push_back(scanner.read_field().value());
    } while (!scanner.record_ended());
    num_expected_ = options.feature_names.empty()
                        ? options.num_features
                        : static_cast<Index>(options.feature_names.size());
    if (options.feature_names.empty()) return;
    for (Index i = num_columns(); i-- > 0;) {
      auto& [first, count] = columns_[cell(i)];
      first = i;
      ++count;
    }
  }

  /// \throws DataError if the options name columns that do not exist, or expect
  ///         another number of features
  [[nodiscard]] CsvLayout find() {
    const Index named_label = find_named_label();
    const Index named_weight = find_named(options_.weight, "weight");
    layout_.weight_column = find_by_index(options_.weight);
    layout_.has_header = is_header(named_label, named_weight);
    if (!options_.weight.empty()) choose_weight(named_weight);
    const Index label = find_label(named_label);
    if (label >= 0) choose_label(label);
    if (selects_by_name()) {
      choose_features_by_name();
    } else {
      choose_features_by_position();
    }
    if (layout_.has_header) layout_.column_names = std::move(row_);
    return std::move(layout_);
  }

 private:
  [[nodiscard]] Index num_columns() const {
    return static_cast<Index>(row_.size());
  }

  [[nodiscard]] const std::string& cell(Index column) const {
    return row_[static_cast<std::size_t>(column)];
  }

  [[nodiscard]] DataError error(const std::string& sentence) const {
    return DataError(source_, FilePosition{1, 1}, sentence);
  }

  [[nodiscard]] bool selects_by_name() const {
    return layout_.has_header && !options_.feature_names.empty();
  }

  [[nodiscard]] bool is_feature_name(const std::string& name) const {
    const auto& names = options_.feature_names;
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  /// Returns the column with the name of the label, or -1.
  [[nodiscard]] Index find_named_label() const {
    if (options_.label.empty() || options_.label_rule == LabelRule::kAbsent) {
      return find_usual_label(row_);
    }
    return find_named(options_.label, "label");
  }

  /// Returns the column with the given name, or -1.
  ///
  /// \param kind  the role of the column, for messages
  [[nodiscard]] Index find_named(const std::string& name,
                                 const std::string& kind) const {
    const auto found = std::find(row_.begin(), row_.end(), name);
    if (name.empty() || found == row_.end()) return -1;
    if (std::find(found + 1, row_.end(), name) != row_.end()) {
      throw error("more than one column is named " + in_quotes(name) +
                  "; expected one " + kind +
                  " column; name it by its 0-based index");
    }
    return found - row_.begin();
  }

  /// Returns the column for an index given as text, or -1.
  [[nodiscard]] Index find_by_index(const std::string& text) const {
    const auto index = parse_int(text);
    if (!index || *index < -num_columns() || *index >= num_columns()) return -1;
    return *index < 0 ? *index + num_columns() : *index;
  }

  /// Returns true if the first row is a header. If it is data, the weight
  /// column was given by its index.
  [[nodiscard]] bool is_header(Index named_label, Index named_weight) const {
    if (has_all_feature_names()) return true;
    for (const Index named : {named_label, named_weight}) {
      if (named >= 0 && !parse_double(cell(named))) return true;
    }
    Index label = options_.label_rule == LabelRule::kAbsent
                      ? -1
                      : find_by_index(options_.label);
    if (label < 0 && may_have_label() && num_columns() > 1) {
      label = last_unweighted_column();
    }
    return has_feature_name(row_, label);
  }

  [[nodiscard]] bool has_all_feature_names() const {
    const auto& names = options_.feature_names;
    return !names.empty() &&
           std::all_of(names.begin(), names.end(), [&](const auto& name) {
             return columns_.count(name) != 0;
           });
  }

  [[nodiscard]] bool may_have_label() const {
    if (options_.label_rule == LabelRule::kAbsent) return false;
    return options_.label_rule == LabelRule::kRequired ||
           num_columns() - num_weight_columns() != num_expected_;
  }

  [[nodiscard]] Index num_weight_columns() const {
    return layout_.weight_column >= 0 ? 1 : 0;
  }

  /// Returns the last column that is not the weight column.
  [[nodiscard]] Index last_unweighted_column() const {
    const Index last = num_columns() - 1;
    return last == layout_.weight_column ? last - 1 : last;
  }

  /// Returns the label column, or -1 if there is none and none is required.
  [[nodiscard]] Index find_label(Index named) const {
    const bool is_needed = options_.label_rule == LabelRule::kRequired;
    if (options_.label_rule == LabelRule::kAbsent) return -1;
    if (!selects_by_name() && !may_have_label()) return -1;
    Index label = layout_.has_header ? named : -1;
    if (label < 0 && !options_.label.empty()) {
      label = find_by_index(options_.label);
      if (label < 0 && is_needed) throw no_such_column("label", options_.label);
      return label;
    }
    if (label < 0) label = last_column_as_label();
    if (label < 0 || !selects_by_name() || !is_feature_name(cell(label))) {
      return label;
    }
    if (!is_needed) return -1;
    throw error("column " + in_quotes(cell(label)) +
                " is a feature; expected another column as the label");
  }

  /// Returns the last column if it can be the label, otherwise -1.
  [[nodiscard]] Index last_column_as_label() const {
    const Index last = last_unweighted_column();
    if (options_.label_rule == LabelRule::kRequired) return last;
    const bool has_one_more =
        num_expected_ != 0 &&
        num_columns() - num_weight_columns() == num_expected_ + 1;
    return has_one_more && !selects_by_name() ? last : -1;
  }

  /// \param kind  the intended role of the column
  [[nodiscard]] DataError no_such_column(const std::string& kind,
                                         const std::string& name) const {
    const Index last = num_columns() - 1;
    std::string names;
    if (layout_.has_header) names = quoted_list(row_) + ", or ";
    return error("no column is the " + kind + " " + in_quotes(name) +
                 "; expected " + names + "an index from 0 to " +
                 std::to_string(last) + " or from -1 to " +
                 std::to_string(-num_columns()));
  }

  /// \param named  the column with the name of the weight, or -1
  void choose_weight(Index named) {
    Index& column = layout_.weight_column;
    if (layout_.has_header && named >= 0) column = named;
    if (column < 0) throw no_such_column("weight", options_.weight);
    if (selects_by_name() && is_feature_name(cell(column))) {
      throw error("column " + in_quotes(cell(column)) +
                  " is a feature; expected another column as the weight");
    }
  }

  void choose_label(Index column) {
    if (column == layout_.weight_column) {
      const std::string name =
          layout_.has_header ? in_quotes(cell(column)) : std::to_string(column);
      throw error("column " + name +
                  " is the label; expected another column as the weight");
    }
    layout_.label =
        ChosenLabel{column, layout_.has_header ? cell(column) : std::string(),
                    options_.label.empty()};
  }

  void choose_features_by_name() {
    layout_.slots.assign(row_.size(), kIgnoredSlot);
    if (layout_.label) slot(layout_.label->column) = kLabelSlot;
    if (layout_.weight_column >= 0) slot(layout_.weight_column) = kWeightSlot;
    for (const std::string& name : options_.feature_names) {
      const auto found = columns_.find(name);
      if (found == columns_.end()) {
        throw error("there is no column " + in_quotes(name) +
                    "; expected the features by their names, got " +
                    quoted_list(row_));
      }
      if (found->second.second > 1) {
        throw error("more than one column is named " + in_quotes(name) +
                    "; expected each feature once");
      }
      slot(found->second.first) = layout_.num_features++;
    }
  }

  void choose_features_by_position() {
    for (Index i = 0; i < num_columns(); ++i) {
      const bool is_label = layout_.label && layout_.label->column == i;
      const bool is_weight = layout_.weight_column == i;
      layout_.slots.push_back(is_label    ? kLabelSlot
                              : is_weight ? kWeightSlot
                                          : layout_.num_features++);
    }
    if (layout_.num_features == 0) throw no_features();
    if (num_expected_ == 0) return check_names_differ();
    if (layout_.num_features == num_expected_) return;
    throw error("wrong number of features; expected " +
                std::to_string(num_expected_) + ", got " +
                std::to_string(layout_.num_features) + other_columns());
  }

  [[nodiscard]] DataError no_features() const {
    std::string columns = "there are two columns, the label and the weight";
    if (num_columns() == 1) {
      columns = std::string("there is one column, the ") +
                (layout_.label ? "label" : "weight");
    }
    return error(
        columns +
        "; expected features as well, separated by ',' or ';' or a tab");
  }

  /// Returns the columns besides the features, as the end of a list.
  [[nodiscard]] std::string other_columns() const {
    const bool has_weight = layout_.weight_column >= 0;
    if (layout_.label && has_weight) return ", the label and the weight";
    if (layout_.label) return " and the label";
    return has_weight ? " and the weight" : "";
  }

  /// Checks that the names of the features differ, because a model may later
  /// select features by name.
  void check_names_differ() const {
    if (!layout_.has_header) return;
    std::unordered_set<std::string_view> names;
    for (Index i = 0; i < num_columns(); ++i) {
      const bool is_feature = layout_.slots[static_cast<std::size_t>(i)] >= 0;
      if (!is_feature || names.insert(cell(i)).second) continue;
      throw error("more than one column is named " + in_quotes(cell(i)) +
                  "; expected each feature once");
    }
  }

  [[nodiscard]] Index& slot(Index column) {
    return layout_.slots[static_cast<std::size_t>(column)];
  }

  std::string source_;
  const CsvOptions& options_;
  std::vector<std::string> row_;

  /// The first column of each name in row_, and how many columns have the name.
  /// Empty unless the options name features.
  std::unordered_map<std::string_view, std::pair<Index, Index>> columns_;

  Index num_expected_ = 0;
  CsvLayout layout_;
};

}  // namespace mlp::datasets::detail
