// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/types.hpp"
#include "../../../core/utf8.hpp"
#include "../../dataset.hpp"
#include "../../reading/known_columns.hpp"
#include "../../reading/quoted.hpp"
#include "../../reading/source_file.hpp"
#include "../csv_look_ahead.hpp"
#include "../csv_options.hpp"
#include "csv_columns.hpp"
#include "csv_header.hpp"
#include "feature_slots.hpp"

/// Choice of the label among the columns of a CSV file.
namespace mlp::datasets::detail {

/// Finds the label column that the options name, or else the default one.
class LabelColumn {
 public:
  /// \param columns       must outlive this object, as the other references
  /// \param roles         with the weight and the columns that are left out
  /// \param num_expected  the expected number of features; 0 accepts any
  LabelColumn(const CsvColumns& columns, const CsvOptions& options,
              const ColumnRoles& roles, Index num_expected)
      : columns_(columns),
        options_(options),
        roles_(roles),
        num_expected_(num_expected) {}

  /// Returns the column with the name of the label or, if the options do not name
  /// one, a usual name; -1 if there is none. A number is not a name.
  [[nodiscard]] Index find_in_first_row() const {
    const bool is_named =
        !options_.label.empty() && options_.label_rule != LabelRule::kAbsent;
    const Index column =
        is_named ? columns_.find_cell(options_.label)
                 : find_usual_label(
                       columns_.cells(),
                       options_.known_label ? options_.known_label->name : "");
    return column >= 0 && parse_double(columns_.cell(column)) ? -1 : column;
  }

  /// Returns the column of the label if there is no header, or -1.
  [[nodiscard]] Index find_in_data() const {
    if (options_.label_rule == LabelRule::kAbsent) return -1;
    Index label = columns_.find_index(options_.label);
    if (label < 0) label = known_column();
    if (label >= 0 || !may_have_label() || columns_.size() == 1) return label;
    return last_free_column();
  }

  /// Returns the label column, if there is one.
  ///
  /// \param selects_by_name  the features are chosen by their names
  /// \throws DataError if the column does not exist or has another role
  [[nodiscard]] std::optional<ChosenLabel> find(bool selects_by_name) const {
    const Index column = find_column(selects_by_name);
    if (column < 0) return std::nullopt;
    if (column == roles_.weight) throw has_two_roles(column, "as the weight");
    if (is_left_out(column)) throw has_two_roles(column, "to ignore");
    const std::string name =
        columns_.has_header() ? columns_.cell(column) : std::string();
    // The index of a label without a name says little about a file with names.
    const bool is_default =
        options_.label.empty() &&
        (!options_.known_label ||
         (columns_.has_header() && options_.known_label->name.empty()));
    return ChosenLabel{column, name, is_default};
  }

  [[nodiscard]] bool is_feature_name(Index column) const {
    const auto& names = options_.feature_names;
    return std::find(names.begin(), names.end(), columns_.cell(column)) !=
           names.end();
  }

 private:
  [[nodiscard]] bool is_left_out(Index column) const {
    return roles_.is_left_out[static_cast<std::size_t>(column)];
  }

  [[nodiscard]] bool may_have_label() const {
    if (options_.label_rule == LabelRule::kAbsent) return false;
    return options_.label_rule == LabelRule::kRequired ||
           num_candidates() != num_expected_;
  }

  /// Returns the number of columns that may be features or the label.
  [[nodiscard]] Index num_candidates() const {
    const Index num_left_out =
        std::count(roles_.is_left_out.begin(), roles_.is_left_out.end(), true);
    return columns_.size() - num_left_out - (roles_.weight >= 0 ? 1 : 0);
  }

  /// Returns the last column of the file that is neither the weight nor left out nor an
  /// element of a vector, or -1.
  [[nodiscard]] Index last_free_column() const {
    Index last = columns_.size() - 1 - options_.num_folder_columns;
    while (last >= 0 && (last == roles_.weight || is_left_out(last) ||
                         options_.vectors.is_element(last))) {
      --last;
    }
    return last;
  }

  /// Returns the label column, or -1 if there is none and none is required.
  [[nodiscard]] Index find_column(bool selects_by_name) const {
    if (options_.label_rule == LabelRule::kAbsent) return -1;
    if (!selects_by_name && !may_have_label()) return -1;
    Index label = -1;
    if (!options_.label.empty()) {
      label = columns_.find_name(options_.label, "label");
      if (label < 0) {
        label = columns_.find_index(options_.label);
        if (label >= 0 || !is_needed()) return label;
        throw columns_.no_such_column("label", options_.label);
      }
    } else if (options_.known_label) {
      return find_known(*options_.known_label);
    } else {
      label = find_default(selects_by_name);
    }
    if (label < 0 || !selects_by_name || !is_feature_name(label)) return label;
    if (!is_needed()) return -1;
    throw is_feature(label);
  }

  [[nodiscard]] bool is_needed() const {
    return options_.label_rule == LabelRule::kRequired;
  }

  /// Returns the column with a usual name that is not left out, or else the last
  /// one; -1 if it cannot be the label.
  [[nodiscard]] Index find_default(bool selects_by_name) const {
    const Index usual =
        columns_.has_header() ? find_usual_label(columns_.cells()) : -1;
    if (usual >= 0 && !is_left_out(usual)) {
      return columns_.find_name(columns_.cell(usual), "label");
    }
    const Index last = last_free_column();
    const bool has_one_more =
        num_expected_ != 0 && num_candidates() == num_expected_ + 1;
    return is_needed() || (has_one_more && !selects_by_name) ? last : -1;
  }

  /// Returns the label column of the training: by its name, or by its index if the
  /// file or that of the training has no header.
  [[nodiscard]] Index find_known(const KnownLabel& known) const {
    if (!columns_.has_header() || known.name.empty()) {
      if (known_column() >= 0 || !is_needed()) return known_column();
      throw lacks_index(known);
    }
    const auto& cells = columns_.cells();
    if (std::count(cells.begin(), cells.end(), known.name) > 0) {
      return columns_.find_name(known.name, "label");  // throws if it repeats
    }
    if (!is_needed()) return -1;
    throw lacks_name(known.name);
  }

  /// Returns the known label by its index; -1 if the file has no such column.
  [[nodiscard]] Index known_column() const {
    const Index column =
        options_.known_label ? options_.known_label->column : -1;
    return column < columns_.size() ? column : -1;
  }

  [[nodiscard]] LabelError label_error(const std::string& sentence) const {
    return LabelError(columns_.source(), FilePosition{1, 1}, sentence);
  }

  [[nodiscard]] LabelError lacks_name(const std::string& name) const {
    const std::string nearest = columns_.find_nearest(name);
    return label_error(
        "expected the label column of the training, " + in_quotes(name) +
        ", got the columns " + quoted_list(columns_.cells()) +
        "; if the label has another name" +
        (nearest.empty() ? "" : ", such as " + in_quotes(nearest)) +
        ", name it");
  }

  [[nodiscard]] LabelError lacks_index(const KnownLabel& known) const {
    if (known.column >= 0) {
      return label_error("expected the label in column " +
                         std::to_string(columns_.index_of(known.column)) +
                         ", as in the training, got " +
                         std::to_string(columns_.index_of(columns_.size())) +
                         " columns; if it is another column, name it");
    }
    if (known.name.empty()) {
      return label_error(
          "nothing tells which column is the label, because the model does not "
          "know that of its training; name it");
    }
    return label_error("there is no header, so nothing tells which column is " +
                       in_quotes(known.name) +
                       ", the label of the training; name it by its index");
  }

  [[nodiscard]] DataError has_two_roles(Index column,
                                        const std::string& role) const {
    return columns_.error("column " + columns_.describe(column) +
                          " is the label; expected another column " + role);
  }

  [[nodiscard]] DataError is_feature(Index label) const {
    const std::string column = columns_.describe(label);
    if (!options_.label.empty()) {
      return columns_.error("column " + column +
                            " is a feature; expected another column as the "
                            "label");
    }
    return columns_.error(
        "there is no label column, because the last column, " + column +
        ", is a feature; expected a column with the labels, named label, "
        "class, target or species, or chosen by its name");
  }

  const CsvColumns& columns_;
  const CsvOptions& options_;
  const ColumnRoles& roles_;
  Index num_expected_;
};

/// Refuses labels that a model cannot store as names of classes.
///
/// \param texts  of the files of the data, in their order; empty for files of another
///               format
/// \throws DataError naming the first label that is not UTF-8
inline void check_label_texts(const Dataset& data,
                              const std::optional<ChosenLabel>& label,
                              std::span<const std::string_view> texts,
                              char delimiter) {
  const auto is_stored = [](const std::string& name) {
    const bool is_ascii = std::none_of(name.begin(), name.end(), [](char byte) {
      return static_cast<unsigned char>(byte) > 0x7F;
    });
    return is_ascii || is_utf8(name);
  };
  const auto& names = data.label_texts;
  const auto wrong = std::find_if_not(names.begin(), names.end(), is_stored);
  if (wrong == names.end()) return;
  const Index row = wrong - names.begin();
  const InstancePlace place = data.place_of(row);
  const std::size_t file =
      find_file(data.files, data.lines[static_cast<std::size_t>(row)]);
  const bool is_known = !data.stored && file < texts.size();
  throw DataError(place.file,
                  is_known ? find_field(texts[file], delimiter,
                                        place.position.line, label->column)
                           : place.position,
                  "the label " + in_quotes(*wrong) + ' ' +
                      not_utf8(place.file, texts.empty()));
}

}  // namespace mlp::datasets::detail
