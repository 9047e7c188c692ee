// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/types.hpp"
#include "../../reading/quoted.hpp"
#include "../../reading/vector_columns.hpp"
#include "../csv_options.hpp"
#include "../layout/csv_columns.hpp"

/// What options say about the columns of files, for rows with a field per element of vectors.
namespace mlp::datasets::detail {

/// Translates the columns that options name. A name of a column of vectors stands for all
/// of its elements. An index counts the columns of the files, where a vector is one.
class ExpandedColumns {
 public:
  /// \param columns  of the files, and behind them those of the folders; must outlive
  ///                 this object
  ExpandedColumns(const CsvColumns& columns, VectorColumns vectors)
      : columns_(columns), vectors_(std::move(vectors)) {}

  /// \throws DataError for an index that no column has, for vectors as the label, the
  ///         weight or the group, and for vectors with more elements than a model has
  [[nodiscard]] CsvOptions translate(CsvOptions options) const {
    check_sizes(options);
    translate_label(options);
    options.weight = translate_one(options.weight, "weight");
    options.group = translate_one(options.group, "group");
    const std::pair<std::vector<std::string>*, const char*> lists[] = {
        {&options.features, "feature"},
        {&options.ignored, "ignored column"},
        {&options.kept, "kept column"},
        {&options.targets, "label"},
        {&options.one_hot.columns, "column of categories"}};
    for (const auto& [list, kind] : lists) {
      std::vector<std::string> expanded;
      for (const std::string& text : *list) {
        for (std::string& one : translate_all(text, kind)) {
          expanded.push_back(std::move(one));
        }
      }
      *list = std::move(expanded);
    }
    options.vectors = vectors_;
    return options;
  }

 private:
  /// Refuses vectors with elements that the model does not have, unless they are ignored.
  void check_sizes(const CsvOptions& options) const {
    if (options.feature_names.empty() || !columns_.has_header() ||
        !options.features.empty()) {
      return;
    }
    for (Index column = 0; column < columns_.size(); ++column) {
      const VectorColumn* const vector = vectors_.find(column);
      if (vector != nullptr) check_size(*vector, options);
    }
  }

  void check_size(const VectorColumn& vector, const CsvOptions& options) const {
    const auto has = [](const std::vector<std::string>& names,
                        const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const std::vector<std::string> elements = elements_of(vector);
    const auto& known = options.feature_names;
    const auto column = static_cast<Index>(vector.column);
    if (has(options.ignored, columns_.cell(column))) return;
    const Index num_known =
        std::count_if(elements.begin(), elements.end(),
                      [&](const auto& name) { return has(known, name); });
    if (num_known == 0) return;
    for (const std::string& name : elements) {
      if (has(known, name) || has(options.ignored, name)) continue;
      throw columns_.error(
          "column " + columns_.describe(column) + " has vectors of " +
          std::to_string(elements.size()) + " elements; expected " +
          std::to_string(num_known) + ", as in the training, which has no " +
          in_quotes(name) + "; ignore this element if the training ignored it");
    }
  }

  /// A file for a prediction need not have the label.
  void translate_label(CsvOptions& options) const {
    if (options.known_label && options.known_label->column >= 0) {
      Index& column = options.known_label->column;
      column = vectors_.field_of(column);
    }
    if (options.label_rule == LabelRule::kAbsent) return;
    const bool is_missing = parse_int(options.label) && !find(options.label);
    if (is_missing && options.label_rule == LabelRule::kOptional) {
      options.label_rule = LabelRule::kAbsent;
      options.label.clear();
    }
    options.label = translate_one(options.label, "label");
  }

  [[nodiscard]] std::string translate_one(const std::string& text,
                                          const std::string& kind) const {
    if (text.empty()) return text;
    const auto column = find(text);
    if (column && vectors_.find(*column) != nullptr) {
      throw columns_.error(
          "column " + columns_.describe(*column) +
          " has vectors; expected a column of single values as the " + kind);
    }
    return translate_all(text, kind).front();
  }

  [[nodiscard]] std::vector<std::string> translate_all(
      const std::string& text, const std::string& kind) const {
    const auto column = find(text);
    if (!column) {
      if (parse_int(text)) throw columns_.no_such_column(kind, text);
      return {text};
    }
    if (const VectorColumn* const vector = vectors_.find(*column)) {
      return elements_of(*vector);
    }
    return {is_name(text) ? text : index_of(*column)};
  }

  [[nodiscard]] bool is_name(const std::string& text) const {
    return columns_.has_header() && columns_.find_cell(text) >= 0;
  }

  /// Returns the column with a name, or else with an index.
  [[nodiscard]] std::optional<Index> find(const std::string& text) const {
    const Index column =
        is_name(text) ? columns_.find_cell(text) : columns_.find_index(text);
    if (column < 0) return std::nullopt;
    return column;
  }

  /// Returns the index of a column in the expanded rows, or its name if another column has
  /// the index as its name.
  [[nodiscard]] std::string index_of(Index column) const {
    std::string index = std::to_string(vectors_.field_of(column));
    return is_name(index) ? columns_.cell(column) : index;
  }

  [[nodiscard]] std::vector<std::string> elements_of(
      const VectorColumn& vector) const {
    const auto column = static_cast<Index>(vector.column);
    const std::string& name = columns_.cell(column);
    const auto& cells = columns_.cells();
    const bool has_name = columns_.has_header() &&
                          std::count(cells.begin(), cells.end(), name) == 1;
    const Index first = vectors_.field_of(column);
    std::vector<std::string> elements;
    for (Index i = 0; i < static_cast<Index>(vector.size); ++i) {
      elements.push_back(has_name ? name + '_' + std::to_string(i)
                                  : std::to_string(first + i));
    }
    return elements;
  }

  const CsvColumns& columns_;
  VectorColumns vectors_;
};

}  // namespace mlp::datasets::detail
