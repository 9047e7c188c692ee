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

#include "../../../core/types.hpp"
#include "../../reading/known_columns.hpp"
#include "../../reading/quoted.hpp"
#include "csv_columns.hpp"
#include "csv_guesses.hpp"
#include "row_names.hpp"

/// Choice of the features among the columns of a CSV file.
namespace mlp::datasets::detail {

/// The slot of a column is the index of its feature or one of these values.
inline constexpr Index kLabelSlot = -1;
inline constexpr Index kIgnoredSlot = -2;
inline constexpr Index kWeightSlot = -3;

/// The roles that columns have before the features are chosen.
struct ColumnRoles {
  Index label = -1;                ///< -1 if there is none
  bool has_default_label = false;  ///< no option names the label
  Index weight = -1;               ///< -1 if there is none
  std::vector<bool> is_left_out;   ///< [num_columns]
  std::vector<Index> features;     ///< listed by the options, or empty
  std::vector<Index> kept;         ///< listed by the options, or empty
};

/// Gives each column its slot.
class FeatureSlots {
 public:
  /// \param columns  must outlive this object
  /// \param roles    must outlive this object
  FeatureSlots(const CsvColumns& columns, const ColumnRoles& roles)
      : columns_(columns), roles_(roles) {}

  /// Chooses features by name and ignores the other columns.
  ///
  /// \throws DataError if a name is missing, ambiguous or left out
  void choose_by_name(const std::vector<std::string>& names) {
    set_other_slots();
    std::vector<bool> has_role = roles_.is_left_out;
    for (const Index column : {roles_.label, roles_.weight}) {
      if (column >= 0) has_role[static_cast<std::size_t>(column)] = true;
    }
    const ColumnMatch match(columns_.cells(), has_role);
    for (const Index column : match.find(names, columns_.source())) {
      choose(column);
    }
    if (!roles_.features.empty()) check_same_features(names);
  }

  /// Chooses the columns that the options list or else those without a role.
  ///
  /// \param num_expected  0 accepts any number
  /// \throws DataError if there are no features or another number of them
  void choose_by_position(Index num_expected) {
    set_other_slots();
    if (roles_.features.empty()) {
      choose_all(num_expected);
    } else {
      // A model of a file without a header knows its features by position.
      const bool is_training = num_expected == 0;
      if (is_training && !columns_.has_header()) check_order();
      for (const Index column : roles_.features) choose(column);
    }
    if (size_ == 0) throw no_features();
    if (num_expected == 0 || size_ == num_expected) return;
    // The default label may be a feature.
    const bool is_label_missing =
        roles_.has_default_label && size_ + 1 == num_expected;
    throw columns_.error(
        "wrong number of features; expected " + std::to_string(num_expected) +
        ", got " + std::to_string(size_) + other_columns() +
        (is_label_missing ? "; if all columns are features, there is no "
                            "label column"
                          : ""));
  }

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] std::vector<Index> take() { return std::move(slots_); }

  /// Returns a name that several features have.
  [[nodiscard]] std::optional<std::string> find_repeated_name() const {
    std::unordered_set<std::string_view> names;
    for (Index i = 0; i < columns_.size(); ++i) {
      const bool is_feature = slots_[static_cast<std::size_t>(i)] >= 0;
      if (!is_feature || names.insert(columns_.cell(i)).second) continue;
      return columns_.cell(i);
    }
    return std::nullopt;
  }

  /// Returns the name of the label if a feature has it, too.
  [[nodiscard]] std::optional<std::string> find_name_of_label() const {
    if (roles_.label < 0 || columns_.cell(roles_.label).empty()) {
      return std::nullopt;
    }
    const std::string& name = columns_.cell(roles_.label);
    for (Index i = 0; i < columns_.size(); ++i) {
      const bool is_feature = slots_[static_cast<std::size_t>(i)] >= 0;
      if (is_feature && columns_.cell(i) == name) return name;
    }
    return std::nullopt;
  }

  /// Returns the features that the header does not name.
  [[nodiscard]] std::vector<Index> find_unnamed() const {
    std::vector<Index> unnamed;
    for (Index i = 0; i < columns_.size(); ++i) {
      const bool is_feature = slots_[static_cast<std::size_t>(i)] >= 0;
      if (is_feature && is_unnamed(columns_.cell(i))) unnamed.push_back(i);
    }
    return unnamed;
  }

 private:
  [[nodiscard]] Index& slot(Index column) {
    return slots_[static_cast<std::size_t>(column)];
  }

  void set_other_slots() {
    slots_.assign(columns_.cells().size(), kIgnoredSlot);
    if (roles_.label >= 0) slot(roles_.label) = kLabelSlot;
    if (roles_.weight >= 0) slot(roles_.weight) = kWeightSlot;
  }

  /// Makes a column the next feature.
  void choose(Index column) {
    if (slot(column) == kLabelSlot || slot(column) == kWeightSlot) {
      const bool is_label = slot(column) == kLabelSlot;
      throw columns_.error("column " + columns_.describe(column) +
                           " is a feature; expected another column as the " +
                           (is_label ? "label" : "weight"));
    }
    if (roles_.is_left_out[static_cast<std::size_t>(column)]) {
      throw columns_.error("column " + columns_.describe(column) +
                           " is a feature; expected other columns to ignore");
    }
    slot(column) = size_++;
  }

  /// Chooses all columns without a role. Kept columns are features only if their
  /// number is not too large with them.
  void choose_all(Index num_expected) {
    std::vector<bool> is_feature(slots_.size());
    Index count = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      is_feature[i] = slots_[i] == kIgnoredSlot && !roles_.is_left_out[i];
      count += is_feature[i] ? 1 : 0;
    }
    if (num_expected != 0 && count > num_expected) {
      for (const Index column : roles_.kept) {
        is_feature[static_cast<std::size_t>(column)] = false;
      }
    }
    for (Index i = 0; i < columns_.size(); ++i) {
      if (is_feature[static_cast<std::size_t>(i)]) choose(i);
    }
  }

  void check_same_features(const std::vector<std::string>& names) const {
    for (const Index column : roles_.features) {
      if (slots_[static_cast<std::size_t>(column)] >= 0) continue;
      throw columns_.error("column " + columns_.describe(column) +
                           " is listed as a feature, but the expected features "
                           "are " +
                           quoted_list(names));
    }
    if (static_cast<Index>(roles_.features.size()) == size_) return;
    throw columns_.error("too few features are listed; expected " +
                         quoted_list(names) + ", got " +
                         std::to_string(roles_.features.size()) + " of them");
  }

  /// Refuses listed features in another order than that of the file.
  void check_order() const {
    const auto& listed = roles_.features;
    const auto wrong = std::is_sorted_until(listed.begin(), listed.end());
    if (wrong == listed.end()) return;
    throw columns_.error(
        "features must be listed in the order of the columns, because the file "
        "has no header by which a model could find them; got column " +
        std::to_string(columns_.index_of(*wrong)) + " behind column " +
        std::to_string(columns_.index_of(*(wrong - 1))));
  }

  [[nodiscard]] DataError no_features() const {
    std::string columns = "there are two columns, the label and the weight";
    if (columns_.size() == 1) {
      columns = std::string("there is one column, the ") +
                (roles_.label >= 0 ? "label" : "weight");
    }
    const bool has_left_out =
        std::find(roles_.is_left_out.begin(), roles_.is_left_out.end(), true) !=
        roles_.is_left_out.end();
    if (has_left_out) columns = "no column is left for the features";
    const bool has_spaces =
        columns_.size() == 1 && columns_.cell(0).find(' ') != std::string::npos;
    return columns_.error(
        columns +
        "; expected features as well, separated by ',' or ';' or a tab" +
        (has_spaces ? "; replace the spaces between columns by commas" : ""));
  }

  /// Returns the columns besides the features, as the end of a list.
  [[nodiscard]] std::string other_columns() const {
    const bool has_label = roles_.label >= 0;
    const bool has_weight = roles_.weight >= 0;
    if (has_label && has_weight) return ", the label and the weight";
    if (has_label) return " and the label";
    return has_weight ? " and the weight" : "";
  }

  const CsvColumns& columns_;
  const ColumnRoles& roles_;
  std::vector<Index> slots_;
  Index size_ = 0;
};

}  // namespace mlp::datasets::detail
