// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../../core/number_text.hpp"
#include "../../../core/types.hpp"
#include "../csv_dialect.hpp"
#include "../csv_look_ahead.hpp"
#include "csv_columns.hpp"
#include "csv_guesses.hpp"
#include "csv_header.hpp"

/// Decision whether the first row of a CSV file is a header.
namespace mlp::datasets::detail {

/// Decides from the first row and the rows below it.
///
/// The rules, in this order:
/// - A feature field that is a name above a number, also one with commas, is the name of
///   a column.
/// - A row with True or False among the features is data.
/// - If features may be texts, names above texts are data if the row also has a
///   marker such as '?', or if one of them occurs again in its column (in the first
///   1,000 rows). Beside numbers, they are a header only if the numbers are
///   consecutive, the label does not occur again, the features have other texts that
///   occur again or at least two numbers, and the labels repeat or no number is among
///   those below it. Without texts that occur again, both must be so.
///   Without numbers, they are a header if only other texts occur again, or if the
///   label is a name above a number. Else the file is refused, as it is beside numbers
///   if the label is a name that does not occur below, where labels repeat.
/// - Otherwise, names above texts are a header, unless one of them occurs again in its
///   column (in the first 1,000 rows) or the row also has numbers that are not
///   consecutive.
/// - Fields that only start like numbers (1st, 0x10) are a header if no field is
///   a number.
/// - Numbers are a header if they read 0, 1, 2, ... or 1, 2, 3, ... and the
///   field of the label does not occur below.
class HeaderDecision {
 public:
  /// \param dialect     must outlive this object
  /// \param columns     must outlive this object
  /// \param is_feature  the columns that would be features of data
  /// \param label       the column that would be the label, or -1
  /// \param may_have_texts  features may be texts, not only numbers
  HeaderDecision(std::string_view text, const CsvDialect& dialect,
                 const CsvColumns& columns, std::vector<bool> is_feature,
                 Index label, bool may_have_texts = false)
      : text_(text),
        dialect_(dialect),
        columns_(columns),
        is_feature_(std::move(is_feature)),
        label_(label),
        may_have_texts_(may_have_texts) {}

  /// \param[out] guesses  what was assumed about the first row
  /// \throws DataError if the features may be texts and nothing decides
  [[nodiscard]] bool is_header(CsvGuesses& guesses) const {
    const Looks looks = look();
    const std::optional<Index> odd_number = find_odd_number();
    if (looks.has_name_above_number) {
      guesses.number_as_name = odd_number;
      if (looks.num_numbers == 1) guesses.number_as_name = find_number();
      return true;
    }
    if (looks.has_boolean) return false;
    if (looks.has_name && may_have_texts_) {
      if (looks.num_numbers == 0) return is_above_texts(looks);
      if (odd_number || !is_above_values(looks)) {
        refuse_name_of_label(looks);
        return false;
      }
      guesses.number_as_name = find_number();
      return true;
    }
    if (looks.has_name) {
      if (odd_number || find_repetition() == Repetition::kFirstRow) {
        return false;
      }
      guesses.number_as_name = find_number();
      return true;
    }
    if (looks.num_number_like != 0) return looks.num_numbers == 0;
    return is_number_header(guesses, looks);
  }

 private:
  static constexpr int kMaxRows = 1000;  // that are looked at

  /// What the fields of the features look like.
  struct Looks {
    bool has_name = false;
    bool has_name_above_number = false;
    bool has_numbers_below = true;
    bool has_marker = false;  ///< of a missing value, such as '?'
    bool has_boolean = false;
    Index num_number_like = 0;
    Index num_numbers = 0;
  };

  /// Which texts occur again among those of the features.
  enum class Repetition { kNone, kBelow, kFirstRow };

  /// Returns true for the look of a text: of a name or, where features may be
  /// texts, of one such as 1st.
  [[nodiscard]] bool is_text(FieldLook look) const {
    return look == FieldLook::kName ||
           (may_have_texts_ && look == FieldLook::kNumberLike);
  }

  [[nodiscard]] bool is_number(FieldLook look) const {
    return look == FieldLook::kNumber || look == FieldLook::kBoolean ||
           (!may_have_texts_ && look == FieldLook::kNumberLike);
  }

  [[nodiscard]] Looks look() const {
    const std::vector<std::string> below =
        CsvLookAhead(text_, dialect_.delimiter).next_texts();
    Looks looks;
    for (std::size_t i = 0; i < is_feature_.size(); ++i) {
      if (!is_feature_[i]) continue;
      const FieldLook above = look_of_field(columns_.cells()[i], dialect_);
      // A row without rows below it has names, rather than no names at all.
      const FieldLook next = i < below.size()
                                 ? look_of_field(below[i], dialect_)
                                 : FieldLook::kNumber;
      const bool is_name = is_text(above);
      looks.has_name = looks.has_name || is_name;
      const bool is_above_number =
          is_number(next) || (i < below.size() && dialect_.decimal == '.' &&
                              dialect_.is_other_number(below[i]));
      looks.has_name_above_number =
          looks.has_name_above_number || (is_name && is_above_number);
      looks.has_numbers_below =
          looks.has_numbers_below && next == FieldLook::kNumber;
      looks.has_marker =
          looks.has_marker || (dialect_.is_missing(columns_.cells()[i]) &&
                               !is_missing(columns_.cells()[i]));
      looks.has_boolean = looks.has_boolean || above == FieldLook::kBoolean;
      looks.num_number_like += above == FieldLook::kNumberLike ? 1 : 0;
      looks.num_numbers += above == FieldLook::kNumber ? 1 : 0;
    }
    return looks;
  }

  /// Returns a feature whose field is a number that is hardly a name: names are
  /// consecutive, such as 0, 1, 2 or 2019, 2020.
  [[nodiscard]] std::optional<Index> find_odd_number() const {
    std::optional<Index> last;
    for (std::size_t i = 0; i < is_feature_.size(); ++i) {
      const std::string& cell = columns_.cells()[i];
      if (!is_feature_[i] || !dialect_.number(cell)) continue;
      const std::optional<Index> number = parse_int(cell);
      const bool is_plain = number && *number >= 0 && cell.front() != '+';
      if (!is_plain || (last && *number != *last + 1)) {
        return static_cast<Index>(i);
      }
      last = number;
    }
    return std::nullopt;
  }

  /// Returns the first feature whose field is a number.
  [[nodiscard]] std::optional<Index> find_number() const {
    for (std::size_t i = 0; i < is_feature_.size(); ++i) {
      if (is_feature_[i] && dialect_.number(columns_.cells()[i])) {
        return static_cast<Index>(i);
      }
    }
    return std::nullopt;
  }

  /// Finds texts of the features that occur again in their column, first of all
  /// those of the first row.
  [[nodiscard]] Repetition find_repetition() const {
    CsvLookAhead rows(text_, dialect_.delimiter);
    std::vector<std::unordered_set<std::string>> known(is_feature_.size());
    Repetition repetition = Repetition::kNone;
    for (int row = 0; row < kMaxRows; ++row) {
      const std::vector<std::string> below = rows.next_texts();
      if (below.empty()) break;
      // A header that is repeated as a whole, of files that were joined.
      if (below == columns_.cells()) continue;
      const std::size_t size = std::min(below.size(), is_feature_.size());
      for (std::size_t i = 0; i < size; ++i) {
        if (!is_feature_[i] || !is_text(look_of_field(below[i], dialect_)))
          continue;
        if (below[i] == columns_.cells()[i]) return Repetition::kFirstRow;
        if (may_have_texts_ && !known[i].insert(below[i]).second) {
          repetition = Repetition::kBelow;
        }
      }
    }
    return repetition;
  }

  /// Decides about names above texts where features may be texts.
  ///
  /// \throws DataError if nothing tells if the row is a header
  [[nodiscard]] bool is_above_texts(const Looks& looks) const {
    if (looks.has_marker) return false;
    const Repetition repetition = find_repetition();
    if (repetition == Repetition::kFirstRow) return false;
    if (repetition == Repetition::kBelow || has_label_above_number()) {
      return true;
    }
    throw columns_.error(
        "the first row has only texts, and none of the texts below them occurs "
        "again, so it may be a header or data; expected to be told which one "
        "it is");
  }

  /// Decides about names and consecutive numbers above texts and numbers, where
  /// features may be texts.
  [[nodiscard]] bool is_above_values(const Looks& looks) const {
    const Repetition repetition = find_repetition();
    const bool has_years = looks.num_numbers > 1;
    if (looks.has_marker || repetition == Repetition::kFirstRow) return false;
    if (repetition == Repetition::kNone && !has_years) return false;
    const bool may_be_named = label_ >= 0 && !is_missing(columns_.cell(label_));
    if (!may_be_named) return has_numbers_outside();
    if (occurs_below(text_, dialect_.delimiter, label_,
                     columns_.cell(label_))) {
      return false;
    }
    const bool has_name =
        look_of_field(columns_.cell(label_), dialect_) == FieldLook::kName;
    const bool is_class =
        has_name && has_repetition(text_, dialect_.delimiter, label_);
    if (repetition == Repetition::kNone) {
      return (is_class || has_label_above_number() || is_label_in_sequence()) &&
             has_numbers_outside();
    }
    return is_class || has_numbers_outside();
  }

  /// Returns true if the field of the label is the number behind those of the features, or
  /// before them: the last one of 2019, 2020, 2021.
  [[nodiscard]] bool is_label_in_sequence() const {
    const auto label = parse_int(columns_.cell(label_));
    std::optional<Index> first;
    std::optional<Index> last;
    for (std::size_t i = 0; i < is_feature_.size(); ++i) {
      const auto number = parse_int(columns_.cells()[i]);
      if (!is_feature_[i] || !number) continue;
      if (!first) first = *number;
      last = *number;
    }
    return label && first && (*label == *last + 1 || *label + 1 == *first);
  }

  /// Refuses names and numbers above texts and numbers if the label is a name that does
  /// not occur below, where labels repeat: it would become a class of one row.
  ///
  /// \throws DataError
  void refuse_name_of_label(const Looks& looks) const {
    if (looks.has_marker || label_ < 0) return;
    const std::string& name = columns_.cell(label_);
    const bool is_name =
        !is_missing(name) && look_of_field(name, dialect_) == FieldLook::kName;
    if (!is_name || occurs_below(text_, dialect_.delimiter, label_, name) ||
        !has_repetition(text_, dialect_.delimiter, label_) ||
        find_repetition() == Repetition::kFirstRow) {
      return;
    }
    throw columns_.error(
        "the first row has names and numbers, and no label below it is " +
        in_quotes(name) +
        ", so it may be a header or data; expected to be told which one it is");
  }

  /// Returns true if each number of the features is outside the range of the numbers
  /// below it, in the first 1,000 rows.
  [[nodiscard]] bool has_numbers_outside() const {
    CsvLookAhead rows(text_, dialect_.delimiter);
    std::vector<bool> is_above(is_feature_.size());
    std::vector<bool> is_below(is_feature_.size());
    for (int row = 0; row < kMaxRows; ++row) {
      const std::vector<std::string> below = rows.next_texts();
      if (below.empty()) break;
      const std::size_t size = std::min(below.size(), is_feature_.size());
      for (std::size_t i = 0; i < size; ++i) {
        const auto name = dialect_.number(columns_.cells()[i]);
        const auto value = dialect_.number(below[i]);
        if (!is_feature_[i] || !name || !value) continue;
        is_above[i] = is_above[i] || *name >= *value;
        is_below[i] = is_below[i] || *name <= *value;
        if (is_above[i] && is_below[i]) return false;
      }
    }
    return true;
  }

  /// Returns true if the field of the label is a name, and a number is below it.
  [[nodiscard]] bool has_label_above_number() const {
    if (label_ < 0) return false;
    const auto below = CsvLookAhead(text_, dialect_.delimiter).next(label_);
    return below && dialect_.number(*below) &&
           look_of_field(columns_.cell(label_), dialect_) == FieldLook::kName;
  }

  [[nodiscard]] bool is_number_header(CsvGuesses& guesses,
                                      const Looks& looks) const {
    constexpr Index kMinReported = 3;  // 0, 1 is too common among data
    const bool is_sequence = looks.num_numbers != 0 && reads_as_sequence();
    const bool lacks_names = looks.num_numbers == 0 && looks.has_numbers_below;
    if (!is_sequence && !lacks_names) return false;
    const bool is_header = label_ >= 0 && has_name_of_label(looks);
    guesses.is_number_header = is_header && is_sequence;
    guesses.is_number_row =
        !is_header && is_sequence && looks.num_numbers >= kMinReported;
    return is_header;
  }

  /// Returns true if the fields of the row are 0, 1, 2, ... or 1, 2, 3, ... in
  /// order. Empty fields and a label that is a text are skipped.
  [[nodiscard]] bool reads_as_sequence() const {
    const auto first =
        std::find_if(columns_.cells().begin(), columns_.cells().end(),
                     [&](const std::string& cell) {
                       return dialect_.number(cell).has_value();
                     });
    Index expected = *first == "0" ? 0 : 1;
    for (Index i = 0; i < columns_.size(); ++i) {
      const std::string& cell = columns_.cell(i);
      if (is_missing(cell) || (i == label_ && !dialect_.number(cell))) continue;
      if (cell != std::to_string(expected)) return false;
      ++expected;
    }
    return true;
  }

  /// Returns true if the label field of the first row is the name of the column.
  [[nodiscard]] bool has_name_of_label(const Looks& looks) const {
    const std::string& name = columns_.cell(label_);
    const bool is_number = dialect_.number(name).has_value();
    if (is_missing(name) || (is_number && looks.num_numbers < 2)) return false;
    if (occurs_below(text_, dialect_.delimiter, label_, name)) return false;
    return is_number || has_repetition(text_, dialect_.delimiter, label_);
  }

  std::string_view text_;
  const CsvDialect& dialect_;
  const CsvColumns& columns_;
  std::vector<bool> is_feature_;
  Index label_;
  bool may_have_texts_;
};

}  // namespace mlp::datasets::detail
