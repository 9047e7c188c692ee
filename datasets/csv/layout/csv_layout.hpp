// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/types.hpp"
#include "../../../core/utf8.hpp"
#include "../../reading/known_columns.hpp"
#include "../../reading/quoted.hpp"
#include "../../reading/vector_columns.hpp"
#include "../csv_dialect.hpp"
#include "../csv_look_ahead.hpp"
#include "../csv_options.hpp"
#include "../csv_scanner.hpp"
#include "csv_columns.hpp"
#include "csv_guesses.hpp"
#include "csv_header.hpp"
#include "feature_slots.hpp"
#include "first_row.hpp"
#include "header_decision.hpp"
#include "label_column.hpp"
#include "row_names.hpp"

/// The layout of a CSV file: which columns are features, label and weight.
namespace mlp::datasets::detail {

/// The role of each column of a CSV file.
struct CsvLayout {
  CsvDialect dialect;
  bool has_header = false;

  /// The header has no field for the row names, the first column.
  bool lacks_row_names = false;

  bool is_of_table = false;  ///< as CsvOptions says

  /// Each row ends with a delimiter; the last slot is ignored.
  bool has_trailing_delimiter = false;

  /// The slot of each column   [num_columns].
  std::vector<Index> slots;

  /// [num_columns]; empty without a header.
  std::vector<std::string> column_names;

  /// The vectors of the files: a column is a field, which may be an element of one.
  VectorColumns vectors;

  std::optional<ChosenLabel> label;

  /// 0-based; -1 if no column has the weights.
  Index weight_column = -1;

  Index num_features = 0;

  /// The columns whose texts are kept, in the order of the options.
  std::vector<Index> kept;

  /// The columns that the options choose as categories.
  std::vector<Index> categories;

  CsvGuesses guesses;

  /// Returns the number of fields of a row.
  [[nodiscard]] Index num_columns() const {
    return static_cast<Index>(slots.size());
  }

  /// Returns the index that users know a column by.
  [[nodiscard]] Index index_of(Index column) const {
    return vectors.column_of(column);
  }

  /// Returns the name of a column without a header: its index, and behind '_' that of an
  /// element of a vector.
  [[nodiscard]] std::string index_name(Index column) const {
    const Index of_file = index_of(column);
    return std::to_string(of_file) +
           (vectors.is_element(column)
                ? '_' + std::to_string(column - vectors.field_of(of_file))
                : "");
  }

  /// Returns the label by the index that users know.
  [[nodiscard]] std::optional<ChosenLabel> label_of_file() const {
    std::optional<ChosenLabel> of_file = label;
    if (of_file) of_file->column = index_of(of_file->column);
    return of_file;
  }

  /// Returns the guesses by the indices that users know.
  [[nodiscard]] CsvGuesses guesses_of_file() const {
    CsvGuesses of_file = guesses;
    if (of_file.number_as_name) {
      of_file.number_as_name = index_of(*of_file.number_as_name);
    }
    for (auto* const columns :
         {&of_file.row_names, &of_file.unnamed_features}) {
      for (Index& column : *columns) column = index_of(column);
    }
    return of_file;
  }

  /// Leaves out features, by their columns. The order of the others stays.
  void leave_out(const std::vector<Index>& columns) {
    for (const Index column : columns) {
      const Index left = slots[static_cast<std::size_t>(column)];
      for (Index& slot : slots) slot -= slot > left ? 1 : 0;
      slots[static_cast<std::size_t>(column)] = kIgnoredSlot;
    }
    num_features -= static_cast<Index>(columns.size());
  }
};

/// Returns how a file writes its fields.
///
/// \throws ParamError for a delimiter or a decimal separator that is not supported
inline CsvDialect make_dialect(std::string_view text,
                               const CsvOptions& options) {
  const auto quoted = [](const char& byte) {
    return in_quotes(std::string_view(&byte, 1));
  };
  const char given = options.delimiter;
  if (given != 0 && given != ' ' &&
      kDelimiters.find(given) == kDelimiters.npos) {
    throw ParamError(
        "delimiter must be ',' or ';' or '|' or a tab or a space, got " +
        quoted(given));
  }
  if (options.decimal != '.' && options.decimal != ',') {
    throw ParamError("decimal must be '.' or ',', got " +
                     quoted(options.decimal));
  }
  return {given == 0 ? sniff_delimiter(text, options.decimal) : given,
          options.decimal, options.missing_texts};
}

/// Determines the layout of a CSV file from its first record and the options.
class CsvLayoutFinder {
 public:
  /// \param source   must outlive this object
  /// \param options  must outlive this object
  /// \param texts    of all files that are read as one, with this text; empty if it
  ///                 is the only one
  /// \throws DataError if the text has no record; ParamError if the delimiter
  ///         is not supported
  CsvLayoutFinder(std::string_view text, const std::string& source,
                  const CsvOptions& options,
                  std::span<const std::string_view> texts = {})
      : text_(text),
        texts_(all_texts(text, texts)),
        source_(source),
        options_(options),
        dialect_(make_dialect(text, options)),
        first_row_(read_first_row(read_first_cells(source), text, texts_,
                                  dialect_, options)),
        columns_(first_row_.cells, source, options.num_folder_columns),
        num_expected_(options.feature_names.empty()
                          ? options.num_features
                          : static_cast<Index>(options.feature_names.size())) {
    columns_.set_vectors(options.vectors);
    if (!options.feature_names.empty()) names_.emplace(columns_.cells());
  }

  /// \throws DataError if the options name columns that do not exist, or expect
  ///         another number of features
  [[nodiscard]] CsvLayout find() {
    layout_.dialect = dialect_;
    layout_.vectors = options_.vectors;
    layout_.is_of_table = options_.is_of_table;
    layout_.lacks_row_names = first_row_.lacks_row_names;
    layout_.has_header = layout_.lacks_row_names || decide_header();
    columns_.set_has_header(layout_.has_header);
    find_listed_columns();
    find_row_names();
    layout_.label = label_column().find(selects_by_name());
    roles_.label = layout_.label ? layout_.label->column : -1;
    roles_.has_default_label = layout_.label && layout_.label->is_default;
    choose_features();
    layout_.weight_column = roles_.weight;
    layout_.kept = roles_.kept;
    layout_.categories =
        columns_.require_all(options_.one_hot.columns, "column of categories");
    if (layout_.has_header) {
      check_names();
      layout_.column_names = columns_.cells();
    }
    if (first_row_.has_trailing_delimiter) {
      layout_.has_trailing_delimiter = true;
      layout_.slots.push_back(kIgnoredSlot);
      if (layout_.has_header) layout_.column_names.emplace_back();
    }
    return std::move(layout_);
  }

 private:
  [[nodiscard]] static std::vector<std::string_view> all_texts(
      std::string_view text, std::span<const std::string_view> texts) {
    if (texts.empty()) return {text};
    return {texts.begin(), texts.end()};
  }

  [[nodiscard]] std::vector<std::string> read_first_cells(
      const std::string& source) const {
    CsvScanner scanner(text_, dialect_.delimiter, source);
    if (scanner.next_record()) {
      std::vector<std::string> cells = read_texts(scanner);
      check_no_comment(cells, text_, source);
      const bool may_have_title =
          options_.header == HeaderRule::kAuto && !options_.is_of_table;
      if (may_have_title) check_no_title(cells, text_, source);
      return cells;
    }
    throw DataError(source, "holds no data; expected rows of numbers");
  }

  /// Refuses names that a model cannot store.
  void check_names() const {
    for (Index i = 0; i < columns_.size(); ++i) {
      const Index slot = layout_.slots[static_cast<std::size_t>(i)];
      const bool is_stored = slot >= 0 || slot == kLabelSlot;
      if (!is_stored || is_utf8(columns_.cell(i))) continue;
      const Index field = layout_.lacks_row_names ? i - 1 : i;
      throw DataError(source_, find_field(text_, dialect_.delimiter, 1, field),
                      "the name of column " +
                          std::to_string(columns_.index_of(i)) + ", " +
                          in_quotes(columns_.cell(i)) + ", " +
                          not_utf8(source_, options_.is_of_table));
    }
  }

  [[nodiscard]] bool selects_by_name() const {
    return layout_.has_header && names_.has_value();
  }

  [[nodiscard]] LabelColumn label_column() const {
    return LabelColumn(columns_, options_, roles_, num_expected_);
  }

  [[nodiscard]] bool decide_header() {
    if (options_.header != HeaderRule::kAuto) {
      return options_.header == HeaderRule::kYes;
    }
    if (names_ && names_->has_all(options_.feature_names)) {
      const auto& cells = columns_.cells();
      layout_.guesses.is_number_header = std::all_of(
          cells.begin(), cells.end(),
          [&](const auto& cell) { return dialect_.number(cell).has_value(); });
      return true;
    }
    if (has_named_column()) return true;
    return !has_known_category() && looks_like_header();
  }

  /// Returns true if an option gives a text of the first row that is not a number,
  /// and so must be the name of a column.
  [[nodiscard]] bool has_named_column() const {
    const auto is_name = [&](const std::string& text) {
      return columns_.find_cell(text) >= 0 && !parse_double(text);
    };
    const auto has_name = [&](const std::vector<std::string>& texts) {
      return std::any_of(texts.begin(), texts.end(), is_name);
    };
    return label_column().find_in_first_row() >= 0 ||
           is_name(options_.weight) || is_name(options_.group) ||
           has_name(options_.features) || has_name(options_.ignored) ||
           has_name(options_.kept) || has_name(options_.targets) ||
           has_name(options_.one_hot.columns);
  }

  /// Returns true if the first row has a category of a model whose columns have no
  /// names, so that its files have no header either.
  [[nodiscard]] bool has_known_category() const {
    if (!options_.feature_names.empty()) return false;
    const auto is_known = [&](const InputColumn& column) {
      return std::any_of(column.categories.begin(), column.categories.end(),
                         [&](const std::string& text) {
                           return !text.empty() &&
                                  columns_.find_cell(text) >= 0;
                         });
    };
    return std::any_of(options_.columns.begin(), options_.columns.end(),
                       is_known);
  }

  /// Decides from the rows, with the roles that columns have if the first row is
  /// data.
  [[nodiscard]] bool looks_like_header() {
    roles_.weight = columns_.find_index(options_.weight);
    roles_.is_left_out.assign(columns_.cells().size(), false);
    std::vector<bool> is_feature(columns_.cells().size(),
                                 options_.features.empty());
    const auto set = [&](std::vector<bool>& flags, const std::string& text,
                         bool flag) {
      const Index column = columns_.find_index(text);
      if (column >= 0) flags[static_cast<std::size_t>(column)] = flag;
    };
    for (const auto& text : options_.features) set(is_feature, text, true);
    for (const auto& text : options_.kept) set(is_feature, text, false);
    for (const auto* const names : {&options_.ignored, &options_.targets}) {
      for (const auto& text : *names) {
        set(is_feature, text, false);
        set(roles_.is_left_out, text, true);
      }
    }
    set(is_feature, options_.group, false);
    set(roles_.is_left_out, options_.group, true);
    set(is_feature, options_.weight, false);
    const Index label = label_column().find_in_data();
    if (label >= 0) is_feature[static_cast<std::size_t>(label)] = false;
    const Index named = options_.label_rule == LabelRule::kAbsent
                            ? -1
                            : columns_.find_cell(options_.label);
    return HeaderDecision(text_, dialect_, columns_, std::move(is_feature),
                          named >= 0 ? named : label, options_.may_have_texts())
        .is_header(layout_.guesses);
  }

  void find_listed_columns() {
    roles_.weight = options_.weight.empty()
                        ? -1
                        : columns_.require(options_.weight, "weight");
    if (roles_.weight >= 0 && selects_by_name() &&
        label_column().is_feature_name(roles_.weight)) {
      throw columns_.error(
          "column " + columns_.describe(roles_.weight) +
          " is a feature; expected another column as the weight");
    }
    roles_.is_left_out.assign(columns_.cells().size(), false);
    for (const Index column :
         columns_.require_all(options_.ignored, "ignored column")) {
      roles_.is_left_out[static_cast<std::size_t>(column)] = true;
    }
    roles_.kept = columns_.require_all(options_.kept, "kept column");
    for (const Index column : columns_.require_all(options_.targets, "label")) {
      keep_as_text(column);
    }
    if (!options_.group.empty()) {
      keep_as_text(columns_.require(options_.group, "group"));
    }
    roles_.features = columns_.require_all(options_.features, "feature");
  }

  /// Keeps the texts of a column that is no feature.
  void keep_as_text(Index column) {
    roles_.is_left_out[static_cast<std::size_t>(column)] = true;
    roles_.kept.push_back(column);
  }

  /// Leaves out columns without a name that name the rows: the first ones if their
  /// values differ, others if they count the rows.
  void find_row_names() {
    constexpr int kMaxExamined = 4;
    if (!layout_.has_header || !roles_.features.empty()) return;
    if (selects_by_name()) return check_row_names();
    const std::vector<Index> categories =
        columns_.require_all(options_.one_hot.columns, "column of categories");
    const Index label = columns_.find_index(options_.label);
    const auto has_role = [&](Index i) {
      return i == label || i == roles_.weight ||
             roles_.is_left_out[static_cast<std::size_t>(i)] ||
             std::count(categories.begin(), categories.end(), i) != 0;
    };
    int num_examined = 0;
    bool is_leading = true;
    for (Index i = 0; i < columns_.size(); ++i) {
      if (!is_unnamed(columns_.cell(i))) is_leading = false;
      if (!is_unnamed(columns_.cell(i)) || has_role(i) ||
          num_examined++ == kMaxExamined) {
        continue;
      }
      const char delimiter = dialect_.delimiter;
      if (!counts_rows(texts_, delimiter, i) &&
          !(is_leading && has_distinct_names(texts_, delimiter, i))) {
        if (i == 0 && layout_.lacks_row_names) throw_no_row_names();
        continue;
      }
      roles_.is_left_out[static_cast<std::size_t>(i)] = true;
      layout_.guesses.row_names.push_back(i);
    }
  }

  /// Notes row names that no column of a model is. A first column without a name that
  /// repeats is none, such as the 1 of 1,500 below a header of one name.
  void check_row_names() {
    const auto& names = options_.feature_names;
    const bool has_unnamed = std::count(names.begin(), names.end(), "") != 0;
    if (!layout_.lacks_row_names || has_unnamed) return;
    if (!has_distinct_names(texts_, dialect_.delimiter, 0)) {
      throw_no_row_names();
    }
    layout_.guesses.row_names.push_back(0);
  }

  [[noreturn]] void throw_no_row_names() const {
    throw columns_.error(
        "the header has " + count_of(columns_.size() - 1, "name") +
        ", and the rows have one field more, which is no row name: it "
        "repeats or is no name; expected as many names as fields; if a comma "
        "separates thousands, write 1500 for 1,500");
  }

  void choose_features() {
    FeatureSlots slots(columns_, roles_);
    if (selects_by_name()) {
      slots.choose_by_name(options_.feature_names);
    } else {
      slots.choose_by_position(num_expected_);
      if (layout_.has_header) {
        if (roles_.features.empty()) {
          layout_.guesses.unnamed_features = slots.find_unnamed();
        }
        layout_.guesses.repeated_name = slots.find_repeated_name();
        layout_.guesses.name_of_label_and_feature = slots.find_name_of_label();
      }
    }
    layout_.num_features = slots.size();
    layout_.slots = slots.take();
  }

  std::string_view text_;
  std::vector<std::string_view> texts_;
  const std::string& source_;
  const CsvOptions& options_;
  CsvDialect dialect_;
  FirstRow first_row_;
  CsvColumns columns_;

  /// The columns by name; only if the options name features.
  std::optional<ColumnMatch> names_;

  Index num_expected_;
  ColumnRoles roles_;
  CsvLayout layout_;
};

}  // namespace mlp::datasets::detail
