// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../core/utf8.hpp"
#include "../column_encoder.hpp"
#include "../dataset.hpp"
#include "../input_column.hpp"
#include "../left_out_columns.hpp"
#include "../missing_texts.hpp"
#include "../reading/quoted.hpp"
#include "column_error.hpp"
#include "csv_options.hpp"
#include "layout/csv_layout.hpp"

/// What the reader of a CSV file does with values of features that are no numbers.
namespace mlp::datasets::detail {

/// Returns the name of a column for messages.
[[nodiscard]] inline std::string describe_column(const CsvLayout& layout,
                                                 Index column) {
  if (!layout.has_header) {
    return "column " + std::to_string(layout.index_of(column));
  }
  return "column " +
         in_quotes(layout.column_names[static_cast<std::size_t>(column)]);
}

/// Returns the column of a feature.
[[nodiscard]] inline Index column_of_slot(const CsvLayout& layout, Index slot) {
  const auto found = std::find(layout.slots.begin(), layout.slots.end(), slot);
  return found - layout.slots.begin();
}

/// The categories of the columns of a file, and which values may be missing.
///
/// All readers of a file share it; take_text() and code_of() may run at the same
/// time. Codes of new categories depend on the order of the calls, so
/// sort_categories() replaces them after the last row.
class ColumnRules {
 public:
  /// Every value must be a number.
  ColumnRules() = default;

  /// \throws DataError if the options name a column to encode that is no feature
  void set(const CsvLayout& layout, const CsvOptions& options,
           const std::string& source) {
    const auto size = static_cast<std::size_t>(layout.num_features);
    has_model_ = !options.columns.empty();
    takes_texts_ = !has_model_ && options.one_hot.is_auto;
    const bool is_mean = options.missing == MissingRule::kMean;
    missing_ = has_model_ && is_mean ? MissingRule::kRefuse : options.missing;
    unknown_ = options.unknown;
    max_categories_ = unknown_ == UnknownRule::kOther
                          ? std::numeric_limits<std::size_t>::max()
                          : kMaxCategories;
    columns_ = std::vector<Column>(size);
    if (has_model_) {
      take_model(options.columns);
    } else {
      choose_columns(layout, source);
    }
    has_categories_ =
        std::any_of(columns_.begin(), columns_.end(),
                    [](const Column& column) { return column.is_category; });
  }

  /// Returns true if values must not simply be numbers.
  [[nodiscard]] bool is_set() const {
    return has_categories_ || takes_texts_ || has_model_ ||
           missing_ != MissingRule::kRefuse;
  }

  [[nodiscard]] bool drops_rows() const {
    return missing_ == MissingRule::kDrop;
  }

  [[nodiscard]] bool may_be_missing(Index slot) const {
    return missing_ != MissingRule::kRefuse ||
           (has_model_ && column(slot).has_missing_value);
  }

  [[nodiscard]] bool is_category(Index slot) const {
    return has_categories_ && column(slot).is_category;
  }

  /// Returns true if a text makes its column a column of categories.
  [[nodiscard]] bool takes_texts() const { return takes_texts_; }

  /// Remembers that a column of numbers has a text. The rows must be read again.
  void take_text(Index slot) { column(slot).has_text = true; }

  /// Remembers that a column of numbers has True or False.
  void take_boolean(Index slot) { column(slot).has_boolean = true; }

  /// Returns true if any column of numbers has True or False.
  [[nodiscard]] bool has_boolean() const {
    return std::any_of(
        columns_.begin(), columns_.end(),
        [](const Column& column) { return column.has_boolean.load(); });
  }

  /// Refuses columns that have True or False beside other numbers than 0 and 1.
  ///
  /// \throws ColumnError naming the first such column
  void check_booleans(const Dataset& data, const CsvLayout& layout) const {
    if (!has_boolean()) return;
    std::vector<std::optional<double>> others(columns_.size());
    data.visit_features([&](Index /*first*/, const auto& features) {
      for (Index slot = 0; slot < features.rows(); ++slot) {
        std::optional<double>& other = others[static_cast<std::size_t>(slot)];
        if (!column(slot).has_boolean || other) continue;
        for (const double value : features.row(slot)) {
          if (std::isnan(value) || value == 0.0 || value == 1.0) continue;
          other = value;
          break;
        }
      }
    });
    for (Index slot = 0; slot < layout.num_features; ++slot) {
      const auto& other = others[static_cast<std::size_t>(slot)];
      if (!other) continue;
      const Index at = column_of_slot(layout, slot);
      throw ColumnError(data.source, FilePosition{}, at,
                        describe_column(layout, at) +
                            " has both True or False and numbers, such as " +
                            format_double(*other) +
                            "; expected one kind; correct the column, or "
                            "choose it by its name to encode all its values "
                            "as categories");
    }
  }

  /// Forgets the categories and texts of rows that will be read again.
  void forget() {
    if (has_model_) return;
    for (Column& column : columns_) {
      column.codes.clear();
      column.has_text = column.has_too_many = column.has_boolean = false;
    }
  }

  /// Turns the columns that have texts into columns of categories.
  ///
  /// \returns true if there is one, so that the rows must be read again
  [[nodiscard]] bool add_columns_of_texts() {
    bool is_any = false;
    for (Column& column : columns_) {
      is_any = is_any || column.has_text;
      column.is_category = column.is_category || column.has_text;
    }
    if (!is_any) return false;
    forget();
    has_categories_ = true;
    return true;
  }

  /// Returns the code of a category, an integer; unknown_code() if it is unknown.
  [[nodiscard]] Index code_of(Index slot, const std::string& text) {
    Column& of = column(slot);
    if (has_model_) {
      const auto found = of.codes.find(text);
      if (found != of.codes.end()) return found->second;
      for (const std::string& spelling : other_spellings(text)) {
        const auto other = of.codes.find(spelling);
        if (other != of.codes.end()) return other->second;
      }
      return of.unknown_code;
    }
    const std::lock_guard lock(*mutex_);
    const auto next = static_cast<Index>(of.codes.size());
    const auto found = of.codes.find(text);
    if (found != of.codes.end()) return found->second;
    if (of.codes.size() > max_categories_) {
      of.has_too_many = true;
      return 0;
    }
    return of.codes.emplace(text, next).first->second;
  }

  /// Returns true if a code is that of a text that a model does not have.
  [[nodiscard]] bool is_unknown(Index slot, Index code) const {
    return code < 0 || (has_model_ && code == column(slot).unknown_code);
  }

  [[nodiscard]] bool refuses_unknown() const {
    return unknown_ == UnknownRule::kRefuse;
  }

  /// Returns the sorted categories of a column.
  [[nodiscard]] std::vector<std::string> categories(Index slot) const {
    std::vector<std::string> names;
    for (const auto& [text, code] : column(slot).codes) names.push_back(text);
    return names;
  }

  /// Forgets all columns but these.
  ///
  /// \param slots  ascending
  void keep(const std::vector<Index>& slots) {
    std::vector<Column> kept(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      kept[i].take(column(slots[i]));
    }
    columns_ = std::move(kept);
  }

  /// Replaces codes by the places of their categories in the sorted list, and
  /// forgets categories that no row has.
  ///
  /// \param[in,out] data  with codes of categories
  /// \throws DataError naming a column that has too many categories, both numbers
  ///         and texts, or a category that is not UTF-8
  void sort_categories(Dataset& data, const CsvLayout& layout) {
    if (has_model_ || !has_categories_) return;
    CodePlaces places = occurring_codes(data);
    for (Index slot = 0; slot < layout.num_features; ++slot) {
      if (!is_category(slot)) continue;
      auto& places_of = places[static_cast<std::size_t>(slot)];
      auto& codes = column(slot).codes;
      std::erase_if(codes, [&](const auto& entry) {
        return places_of[static_cast<std::size_t>(entry.second)] < 0.0;
      });
      check_categories(slot, data, layout);
      double place = 0.0;
      for (const auto& [text, code] : codes) {
        places_of[static_cast<std::size_t>(code)] = place++;
      }
    }
    data.compute_features(replace_codes(std::move(places)));
  }

  /// Returns the columns of the features; empty if all are numbers and no value
  /// may be missing.
  ///
  /// \param has_missing  a value is missing
  [[nodiscard]] std::vector<InputColumn> columns(const CsvLayout& layout,
                                                 const CsvOptions& options,
                                                 bool has_missing) const {
    if (has_model_) return options.columns;
    const bool is_mean = missing_ == MissingRule::kMean &&
                         (has_missing || !options.is_missing_default);
    const bool is_needed = has_categories_ || is_mean;
    std::vector<InputColumn> all;
    for (Index slot = 0; is_needed && slot < layout.num_features; ++slot) {
      InputColumn& input = all.emplace_back();
      if (layout.has_header) {
        input.name = layout.column_names[static_cast<std::size_t>(
            column_of_slot(layout, slot))];
      }
      if (!is_category(slot)) continue;
      input.kind = ColumnKind::kCategory;
      input.categories = categories(slot);
    }
    return all;
  }

 private:
  struct Column {
    bool is_category = false;
    bool is_chosen = false;  ///< by name, as a column of categories
    bool has_missing_value = false;
    bool has_too_many = false;  ///< categories, so that codes lack some
    Index unknown_code = -1;    ///< of a model
    std::atomic<bool> has_text = false;
    std::atomic<bool> has_boolean = false;

    /// In the order of the bytes of the texts.
    std::map<std::string, Index> codes;

    /// Moves another column to this one.
    void take(Column& other) {
      is_category = other.is_category;
      is_chosen = other.is_chosen;
      has_missing_value = other.has_missing_value;
      has_too_many = other.has_too_many;
      unknown_code = other.unknown_code;
      has_text = other.has_text.load();
      has_boolean = other.has_boolean.load();
      codes = std::move(other.codes);
    }
  };

  /// Marks the codes of categories that occur by 0, and others by -1.
  [[nodiscard]] CodePlaces occurring_codes(const Dataset& data) const {
    CodePlaces places(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].is_category) {
        places[i].assign(columns_[i].codes.size(), -1.0);
      }
    }
    data.visit_features([&](Index /*first*/, const auto& features) {
      for (Index slot = 0; slot < features.rows(); ++slot) {
        auto& places_of = places[static_cast<std::size_t>(slot)];
        if (places_of.empty()) continue;
        for (const double code : features.row(slot)) {
          if (!std::isnan(code))
            places_of[static_cast<std::size_t>(code)] = 0.0;
        }
      }
    });
    return places;
  }

  [[nodiscard]] Column& column(Index slot) {
    return columns_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] const Column& column(Index slot) const {
    return columns_[static_cast<std::size_t>(slot)];
  }

  void take_model(const std::vector<InputColumn>& inputs) {
    for (std::size_t i = 0; i < std::min(inputs.size(), columns_.size()); ++i) {
      Column& column = columns_[i];
      column.is_category = inputs[i].kind == ColumnKind::kCategory;
      column.has_missing_value = inputs[i].missing_value.has_value();
      column.unknown_code = unknown_code(inputs[i], unknown_);
      for (const std::string& text : inputs[i].categories) {
        column.codes.emplace(text, static_cast<Index>(column.codes.size()));
      }
    }
  }

  void choose_columns(const CsvLayout& layout, const std::string& source) {
    for (const Index at : layout.categories) {
      const Index slot = layout.slots[static_cast<std::size_t>(at)];
      if (slot < 0) {
        throw DataError(source, FilePosition{1, 1},
                        describe_column(layout, at) +
                            " is no feature; expected features as columns of "
                            "categories");
      }
      column(slot).is_category = column(slot).is_chosen = true;
    }
  }

  void check_categories(Index slot, const Dataset& data,
                        const CsvLayout& layout) const {
    const std::string& source = data.source;
    const Index num_rows = data.num_instances();
    const auto& codes = column(slot).codes;
    const Index at = column_of_slot(layout, slot);
    const std::string name = describe_column(layout, at);
    const std::size_t size = codes.size();
    if (!column(slot).is_chosen &&
        count_no_numbers(categories(slot)) <= kMaxDistinct) {
      refuse_mixture(slot, data, layout);
    }
    const bool is_identifier =
        !column(slot).is_chosen && hardly_repeat(size, num_rows);
    const bool has_too_many =
        column(slot).has_too_many || size > max_categories_;
    if (has_too_many || is_identifier) {
      throw ColumnError(
          source, FilePosition{}, at,
          (has_too_many
               ? name + " has more than " + std::to_string(max_categories_) +
                     " different texts"
               : describe_texts(name, size, num_rows)) +
              "; expected categories that repeat; leave the column out");
    }
    if (!column(slot).is_chosen) refuse_mixture(slot, data, layout);
    for (const auto& [text, code] : codes) {
      if (is_utf8(text)) continue;
      throw DataError(source, name + " has the category " + in_quotes(text) +
                                  ", which " +
                                  not_utf8(source, layout.is_of_table));
    }
  }

  /// Refuses a column of numbers with a few texts, which are probably mistakes.
  ///
  /// \throws ColumnError naming the first row that has a text
  void refuse_mixture(Index slot, const Dataset& data,
                      const CsvLayout& layout) const {
    const auto& codes = column(slot).codes;
    std::unordered_map<Index, std::string> texts;
    const std::string* number = nullptr;
    for (const auto& [text, code] : codes) {
      if (!parse_double(text)) {
        texts.emplace(code, text);
      } else if (number == nullptr) {
        number = &text;
      }
    }
    if (number == nullptr || texts.empty()) return;
    Index num_texts = 0;
    Index num_numbers = 0;
    std::pair<Index, Index> first{-1, -1};  // row and code
    data.visit_features([&](Index begin, const auto& features) {
      for (Index row = 0; row < features.cols(); ++row) {
        const double value = features(slot, row);
        if (std::isnan(value)) continue;
        const auto code = static_cast<Index>(value);
        const bool is_text = texts.contains(code);
        ++(is_text ? num_texts : num_numbers);
        if (is_text && first.first < 0) first = {begin + row, code};
      }
    });
    std::set<std::string> different;
    for (const auto& [code, text] : texts) different.insert(text);
    const Index at = column_of_slot(layout, slot);
    const InstancePlace place = data.place_of(first.first);
    throw ColumnError(
        place.file, place.position, at,
        describe_column(layout, at) + " has both numbers, such as " +
            in_quotes(*number) + ", and texts, such as " +
            in_quotes(texts[first.second]) +
            "; expected one kind; correct the column, " +
            (may_mean_missing(different, num_texts, num_numbers)
                 ? "choose other texts for missing values, "
                 : "") +
            "or choose it by its name to encode all its values as categories");
  }

  std::vector<Column> columns_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  MissingRule missing_ = MissingRule::kRefuse;
  bool has_model_ = false;
  bool has_categories_ = false;
  bool takes_texts_ = false;
  UnknownRule unknown_ = UnknownRule::kRefuse;
  std::size_t max_categories_ = kMaxCategories;
};

}  // namespace mlp::datasets::detail
