// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../csv/column_error.hpp"
#include "../csv/column_rules.hpp"
#include "../csv/csv_options.hpp"
#include "../csv/csv_reader.hpp"
#include "../csv/expansion/expanded_columns.hpp"
#include "../csv/layout/csv_columns.hpp"
#include "../csv/layout/csv_first_rows.hpp"
#include "../csv/layout/csv_layout.hpp"
#include "../csv/layout/feature_slots.hpp"
#include "../csv/layout/row_names.hpp"
#include "../reading/known_columns.hpp"
#include "../reading/text_file.hpp"
#include "../reading/vector_columns.hpp"
#include "arrow_fields.hpp"

/// The columns of Arrow tables: which are read, and how.
namespace mlp::datasets::detail {

/// Calls a function that reads text which stands for a table: the places of its errors
/// keep the row, or nothing.
template <typename F>
auto with_places_of_rows(bool has_rows, const F& f) {
  const auto place = [&](const DataError& error) {
    return FilePosition{has_rows ? error.position().line : 0, 0};
  };
  try {
    return f();
  } catch (const ColumnError& error) {
    throw error.at(place(error), error.column());
  } catch (const LabelError& error) {
    throw LabelError(error.file(), place(error), error.sentence());
  } catch (const DataError& error) {
    throw DataError(error.file(), place(error), error.sentence());
  }
}

/// Returns options for the text that stands for a table.
inline CsvOptions table_options(CsvOptions options) {
  options.header = HeaderRule::kYes;
  options.delimiter = ',';
  options.decimal = '.';
  options.is_of_table = true;
  return options;
}

/// A feature of numbers.
struct ArrowNumber {
  Index field;
  Index slot;
};

/// A column of vectors, and those of its elements that are features.
struct ArrowElements {
  Index column;
  Index size;
  std::vector<ArrowNumber> elements;
};

/// Which columns of Arrow tables are read. Those of numbers are copied. All others become
/// the text of a CSV file, so that its reader applies its rules to them.
class ArrowColumns {
 public:
  /// \param files  that are read as one   [at least 1]
  /// \throws DataError as the reader of CSV files for wrong columns
  ArrowColumns(const std::vector<ArrowFile>& files, const std::string& source,
               CsvOptions options)
      : files_(files) {
    for (const ArrowFile& file : files) fields_.push_back(arrow_fields(file));
    options = with_places_of_rows(false, [&] { return with_fields(options); });
    leave_out_index(options);
    find_layout(options);
    rules.set(layout, options, source);
    for (Index i = 0; i < layout.num_columns(); ++i) choose_column(i);
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    find_kept();
  }

  /// The fields of the tables, by the first one.
  [[nodiscard]] const std::vector<ArrowField>& fields() const {
    return fields_.front();
  }

  [[nodiscard]] const ArrowField& field(Index column) const {
    return fields_.front()[static_cast<std::size_t>(column)];
  }

  /// Returns the first line of the text; empty without columns of texts. The layout has
  /// the names, which may have line ends.
  [[nodiscard]] std::string text_header() const {
    std::string line;
    for (std::size_t i = 0; i < texts.columns.size(); ++i) {
      line += (i == 0 ? "" : ",") + std::to_string(i);
    }
    return line.empty() ? line : line + '\n';
  }

  /// \throws ColumnError naming a column that has neither numbers nor texts
  void require_types() const {
    if (wrong_type_) throw ColumnError(*wrong_type_);
  }

  CsvLayout layout;
  ColumnRules rules;
  std::vector<Index> needed;  ///< of the tables, ascending
  std::vector<ArrowNumber> numbers;
  std::vector<ArrowElements> vectors;
  CsvTextColumns texts;

 private:
  /// Returns options whose indices count the fields, as those of CSV files do.
  [[nodiscard]] CsvOptions with_fields(const CsvOptions& options) const {
    std::vector<std::string> names;
    std::vector<VectorColumn> found;
    for (const ArrowField& field : fields()) {
      const auto column = static_cast<std::size_t>(field.column);
      if (column == names.size()) names.push_back(field.vector_name);
      if (field.element == 0) found.push_back({column, 0});
      if (field.element >= 0) ++found.back().size;
    }
    CsvColumns columns(std::move(names), files_.front().name,
                       options.num_folder_columns);
    columns.set_has_header(true);
    return ExpandedColumns(columns, VectorColumns(std::move(found)))
        .translate(options);
  }

  /// Leaves out what pandas stores for row names without a name, unless it is chosen.
  void leave_out_index(CsvOptions& options) {
    if (!options.feature_names.empty()) return;
    std::vector<std::string> chosen{options.label, options.weight,
                                    options.group};
    for (const auto* const names :
         {&options.features, &options.kept, &options.targets, &options.ignored,
          &options.one_hot.columns}) {
      chosen.insert(chosen.end(), names->begin(), names->end());
    }
    for (Index i = 0; i < static_cast<Index>(fields_.front().size()); ++i) {
      const std::string& name = field(i).name;
      const bool is_chosen = std::any_of(
          chosen.begin(), chosen.end(), [&](const std::string& text) {
            return text == name || text == std::to_string(i);
          });
      if (!is_stored_index(name) || is_chosen) continue;
      options.ignored.push_back(name);
      index_.push_back(i);
    }
  }

  void find_layout(const CsvOptions& options) {
    std::vector<std::string> headers;
    std::vector<TextFile> files;
    for (const auto& fields : fields_) headers.push_back(csv_header(fields));
    for (std::size_t i = 0; i < files_.size(); ++i) {
      files.push_back({files_[i].name, headers[i]});
    }
    layout = with_places_of_rows(
        false, [&] { return detail::find_layout(files, options); });
    layout.guesses.row_names = index_;
    if (options.one_hot.takes_dictionaries() && options.columns.empty()) {
      choose_dictionaries();
    }
  }

  /// Takes features that have a dictionary for columns of categories.
  void choose_dictionaries() {
    std::vector<Index>& chosen = layout.categories;
    for (Index i = 0; i < static_cast<Index>(fields().size()); ++i) {
      const bool is_chosen =
          std::find(chosen.begin(), chosen.end(), i) != chosen.end();
      const bool is_feature = layout.slots[static_cast<std::size_t>(i)] >= 0;
      if (field(i).has_dictionary && is_feature && !is_chosen) {
        chosen.push_back(i);
      }
    }
  }

  /// Decides how a column is read, if it is.
  void choose_column(Index column) {
    const auto at = static_cast<std::size_t>(column);
    if (at >= fields_.front().size()) return;  // of a delimiter at the end
    const Index slot = layout.slots[at];
    const auto& kept = layout.kept;
    const bool is_kept =
        std::find(kept.begin(), kept.end(), column) != kept.end();
    if (slot == kIgnoredSlot && !is_kept) return;
    check_same_kind(column);
    const bool is_copied =
        slot >= 0 && !rules.is_category(slot) && are_numbers(at);
    for (std::size_t file = 0; file < files_.size(); ++file) {
      check_type(file, column, slot == kIgnoredSlot, is_copied && !is_kept);
    }
    const ArrowField& field = fields_.front()[at];
    needed.push_back(field.column);
    if (is_copied && field.element >= 0) {
      add_element(column, slot);
    } else if (is_copied) {
      numbers.push_back({column, slot});
    }
    if (is_copied && !is_kept) return;
    texts.layout.slots.push_back(is_copied ? kIgnoredSlot : slot);
    add_text(column);
  }

  /// Returns true for a column that has numbers in all files.
  [[nodiscard]] bool are_numbers(std::size_t column) const {
    return std::all_of(fields_.begin(), fields_.end(), [&](const auto& all) {
      const ArrowField& one = all[column];
      return one.element >= 0 || (one.type.is_number() && !one.has_dictionary);
    });
  }

  /// Refuses a column that is a part of a vector, or has truth values, in some files. A
  /// column without values may be of any kind.
  void check_same_kind(Index column) const {
    const auto at = static_cast<std::size_t>(column);
    std::size_t first = 0;
    for (std::size_t file = 1; file < files_.size(); ++file) {
      const ArrowField& one = fields_[first][at];
      const ArrowField& other = fields_[file][at];
      const auto is_bool = [](const ArrowField& field) {
        return field.type.kind == ArrowKind::kBool;
      };
      const bool has_values = one.type.kind != ArrowKind::kNull;
      const bool is_same =
          other.column == one.column && other.element == one.element &&
          (!has_values || other.type.kind == ArrowKind::kNull ||
           is_bool(other) == is_bool(one));
      if (!has_values) first = file;
      if (is_same) continue;
      throw DataError(files_[file].name,
                      describe_column(layout, column) + " has " +
                          std::string(other.type.describe()) + ", but " +
                          std::string(one.type.describe()) + " in " +
                          files_[first].name +
                          "; expected the same kind; write the column of both "
                          "alike, or leave it out");
    }
  }

  void add_element(Index field, Index slot) {
    const auto& all = fields_.front();
    const Index column = all[static_cast<std::size_t>(field)].column;
    if (vectors.empty() || vectors.back().column != column) {
      const Index size = std::count_if(
          all.begin(), all.end(),
          [&](const ArrowField& one) { return one.column == column; });
      vectors.push_back({column, size, {}});
    }
    vectors.back().elements.push_back({field, slot});
  }

  /// Adds a column to those of the texts.
  void add_text(Index column) {
    const auto at = static_cast<std::size_t>(column);
    const auto text = static_cast<Index>(texts.columns.size());
    texts.layout.dialect = layout.dialect;
    texts.layout.has_header = true;
    texts.layout.is_of_table = layout.is_of_table;
    texts.layout.num_features = layout.num_features;
    texts.layout.column_names.push_back(layout.column_names[at]);
    if (layout.slots[at] == kLabelSlot) {
      texts.layout.label = layout.label;
      texts.layout.label->column = text;
    }
    if (layout.slots[at] == kWeightSlot) texts.layout.weight_column = text;
    texts.columns.push_back(column);
  }

  /// Names the columns of the texts that are kept, once all are known.
  void find_kept() {
    for (const Index column : layout.kept) {
      const auto found =
          std::find(texts.columns.begin(), texts.columns.end(), column);
      texts.layout.kept.push_back(found - texts.columns.begin());
    }
  }

  /// Notes the first column that cannot be read.
  ///
  /// \param is_text    only the texts of the column are kept
  /// \param is_number  the column is only copied
  void check_type(std::size_t file, Index column, bool is_text,
                  bool is_number) {
    const ArrowField& field = fields_[file][static_cast<std::size_t>(column)];
    const bool has_values =
        is_text ? field.type.has_text() : field.type.is_value();
    if (is_number || (has_values && field.element < 0)) return;
    if (wrong_type_) return;
    const bool is_vector = field.element >= 0;
    const bool has_unit = field.type.what == "dates" ||
                          field.type.what == "timestamps" ||
                          field.type.what == "durations";
    wrong_type_.emplace(
        files_[file].name, FilePosition{}, column,
        describe_column(layout, column) +
            (is_vector ? " is an element of a vector" : " has ") +
            std::string(is_vector ? "" : field.type.what) +
            "; expected numbers" +
            (is_text ? ", texts, dates or timestamps; " : " or texts; ") +
            (has_unit ? "make numbers of them, such as days since a date, or "
                      : "") +
            "leave the column out");
  }

  const std::vector<ArrowFile>& files_;
  std::vector<std::vector<ArrowField>> fields_;  ///< of each file
  std::vector<Index> index_;                     ///< columns of row names
  std::optional<ColumnError> wrong_type_;
};

}  // namespace mlp::datasets::detail
