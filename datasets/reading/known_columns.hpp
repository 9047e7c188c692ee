// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/suggestion.hpp"
#include "../../core/types.hpp"
#include "quoted.hpp"

/// The rules by which the columns of a training are found in other tables.
namespace mlp::datasets {

/// Finds columns of a table by their names.
///
/// A name finds the column that has it, wherever it is, and other columns are
/// ignored. Columns of the same name are told apart by their order among
/// themselves, so the table must have as many of them as are expected.
class ColumnMatch {
 public:
  /// \param names  of the columns of the table; must outlive this object
  explicit ColumnMatch(std::span<const std::string> names)
      : ColumnMatch(names, std::vector<bool>(names.size())) {}

  /// \param names       as above
  /// \param is_skipped  columns that are found only if no other one has their name
  ///                    [number of names]
  ColumnMatch(std::span<const std::string> names,
              const std::vector<bool>& is_skipped)
      : names_(names), next_(names.size(), -1) {
    for (std::size_t i = names.size(); i-- > 0;) {
      if (!is_skipped[i]) add(i);
    }
    for (std::size_t i = names.size(); i-- > 0;) {
      if (is_skipped[i] && !has(names[i])) add(i);
    }
  }

  [[nodiscard]] bool has(std::string_view name) const {
    return places_.find(name) != places_.end();
  }

  /// Returns true if the table has all names.
  [[nodiscard]] bool has_all(std::span<const std::string> names) const {
    for (const std::string& name : names) {
      if (!has(name)) return false;
    }
    return true;
  }

  /// Returns the column of each expected name.
  ///
  /// \param file  the file of the table, for messages; empty for a table in memory
  /// \return 0-based indices   [number of expected names]
  /// \throws DataError if the table lacks a name, or has it another number of
  ///         times
  [[nodiscard]] std::vector<Index> find(std::span<const std::string> expected,
                                        const std::string& file = "") const {
    std::unordered_map<std::string_view, Place> taken;
    std::vector<Index> columns;
    columns.reserve(expected.size());
    for (const std::string& name : expected) {
      const auto place = places_.find(name);
      if (place == places_.end()) throw error(file, lacks(name));
      Place& own =
          taken.try_emplace(name, Place{place->second.first, 0}).first->second;
      ++own.count;
      columns.push_back(own.first);
      if (own.first >= 0)
        own.first = next_[static_cast<std::size_t>(own.first)];
    }
    for (const std::string& name : expected) {
      const Index count = places_.find(name)->second.count;
      const Index num_expected = taken.find(name)->second.count;
      if (count != num_expected) {
        throw error(file, is_ambiguous(name, num_expected, count));
      }
    }
    return columns;
  }

 private:
  /// The first column of a name, -1 behind the last one, and their number.
  struct Place {
    Index first = -1;
    Index count = 0;
  };

  void add(std::size_t column) {
    Place& place = places_[names_[column]];
    next_[column] = place.first;
    place.first = static_cast<Index>(column);
    ++place.count;
  }

  [[nodiscard]] static DataError error(const std::string& file,
                                       const std::string& sentence) {
    return DataError(file, FilePosition{1, 1}, sentence);
  }

  [[nodiscard]] std::string lacks(const std::string& name) const {
    for (const std::string& other : names_) {
      if (!equals_ignoring_case(name, other)) continue;
      return "there is no column " + in_quotes(name) + ", only " +
             in_quotes(other) +
             "; names must have the same case: rename the column";
    }
    return "there is no column " + in_quotes(name) +
           "; expected the features by their names, got " + quoted_list(names_);
  }

  [[nodiscard]] static std::string is_ambiguous(const std::string& name,
                                                Index num_expected,
                                                Index count) {
    if (num_expected == 1) {
      return "more than one column is named " + in_quotes(name) +
             "; expected each feature once";
    }
    return std::to_string(count) +
           (count == 1 ? " column is named " : " columns are named ") +
           in_quotes(name) + "; expected " + std::to_string(num_expected) +
           ", because only their order tells them apart";
  }

  std::span<const std::string> names_;
  std::vector<Index> next_;  ///< the next column of the same name, or -1
  std::unordered_map<std::string_view, Place> places_;
};

/// What a training knows about its label column.
struct KnownLabel {
  /// Empty if the file of the training had no header.
  std::string name;

  /// The 0-based index in the file of the training; -1 if it is not known.
  Index column = -1;

  friend bool operator==(const KnownLabel&, const KnownLabel&) = default;
};

/// Returns the label column as a model stores it: by its name, or by its index if
/// the features have no names; empty if neither is known.
///
/// \param has_names  the features have names
[[nodiscard]] inline std::string label_text(const KnownLabel& label,
                                            bool has_names) {
  if (has_names || !label.name.empty() || label.column < 0) return label.name;
  return std::to_string(label.column);
}

/// Reads the label column that a model stores. An index is one only if the features
/// have no names.
///
/// \param text  as label_text() returns it
[[nodiscard]] inline KnownLabel parse_known_label(const std::string& text,
                                                  bool has_names) {
  const auto index = parse_int(text);
  if (has_names || !index || *index < 0) return {text, -1};
  return {"", *index};
}

/// A file has no column that is the label of the training.
class LabelError : public DataError {
 public:
  using DataError::DataError;

  /// Returns the same error with a text after its sentence.
  [[nodiscard]] LabelError with_advice(const std::string& text) const {
    return LabelError(what() + text);
  }
};

}  // namespace mlp::datasets
