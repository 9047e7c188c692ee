// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "../core/utf8.hpp"
#include "dataset.hpp"
#include "label_numbers.hpp"
#include "reading/quoted.hpp"
#include "reading/truth_value.hpp"

/// Conversion of label texts to class indices, as Spark's StringIndexer does.
namespace mlp::datasets {

namespace detail {

/// Compares UTF-8 texts by UTF-16 code units, the order of Java strings.
///
/// This is the order of the bytes, except for characters above U+FFFF (first
/// bytes F0 to F4): they come before U+E000..U+FFFF (first bytes EE and EF).
inline bool is_less_in_utf16(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (differ.second == b.end()) return false;
  if (differ.first == a.end()) return true;
  const auto x = static_cast<unsigned char>(*differ.first);
  const auto y = static_cast<unsigned char>(*differ.second);
  const bool is_either_beyond = x >= 0xF0 || y >= 0xF0;
  if (is_either_beyond && std::min(x, y) >= 0xEE && std::min(x, y) <= 0xEF) {
    return x > y;
  }
  return x < y;
}

}  // namespace detail

/// Finds the index of a name by its text or, if all names are numbers, by its
/// value. Two names that are truth values, or 0 and 1, are found by the others.
class NameTable {
 public:
  /// \param names  must outlive this object
  explicit NameTable(const std::vector<std::string>& names) {
    bool are_numbers = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      texts_.emplace(names[i], static_cast<Index>(i));
      const auto number = parse_double(names[i]);
      are_numbers = are_numbers && number.has_value();
      if (are_numbers) numbers_.emplace(*number, static_cast<Index>(i));
    }
    if (!are_numbers) numbers_.clear();
    if (names.size() == 2) find_truth(names);
  }

  /// \return -1 if the name is unknown
  [[nodiscard]] Index find(const std::string& text) const {
    const auto found = texts_.find(text);
    if (found != texts_.end()) return found->second;
    if (const auto truth = truth_value(text)) return find_truth(*truth);
    if (numbers_.empty() && !has_truth_) return -1;
    const auto number = parse_double(text);
    return number ? find(*number) : -1;
  }

  /// \return -1 if the number is unknown, or an integer that float64 cannot tell
  ///         from its neighbours, whose names would be one number
  [[nodiscard]] Index find(double number) const {
    if (std::abs(number) >= kInexactInteger) return -1;
    if (!numbers_.empty()) {
      const auto found = numbers_.find(number);
      return found == numbers_.end() ? -1 : found->second;
    }
    const auto found = texts_.find(number_name(number));
    if (found != texts_.end()) return found->second;
    return number == 0.0 || number == 1.0 ? find_truth(number == 1.0) : -1;
  }

 private:
  /// Notes which name is true.
  void find_truth(const std::vector<std::string>& names) {
    std::vector<std::optional<bool>> truths;
    for (const std::string& name : names) {
      const auto number = parse_double(name);
      truths.push_back(number == 0.0 || number == 1.0
                           ? std::optional<bool>(number == 1.0)
                           : truth_value(name));
    }
    has_truth_ = truths[0] && truths[1] && *truths[0] != *truths[1];
    if (has_truth_) true_name_ = *truths[0] ? 0 : 1;
  }

  [[nodiscard]] Index find_truth(bool truth) const {
    if (!has_truth_) return -1;
    return truth ? true_name_ : 1 - true_name_;
  }

  std::unordered_map<std::string_view, Index> texts_;
  std::unordered_map<double, Index> numbers_;
  bool has_truth_ = false;
  Index true_name_ = 0;
};

/// How often a label occurs.
struct LabelCount {
  std::string text;
  Index count = 0;
};

/// Returns the names of numbers, ascending, and how often they occur.
[[nodiscard]] inline std::vector<LabelCount> name_numbers(
    const LabelNumbers& numbers) {
  std::vector<LabelCount> labels;
  labels.reserve(numbers.counts.size());
  for (const auto& [number, count, spelling] : numbers.counts) {
    labels.push_back(
        {spelling.empty() ? number_name(number) : spelling, count});
  }
  return labels;
}

/// Returns the indices of names in the order of the names: numbers, if all are, by
/// their value, texts by their bytes   [number of names]
[[nodiscard]] inline std::vector<Index> order_by_name(
    const std::vector<std::string>& names) {
  std::vector<std::optional<double>> numbers;
  for (const std::string& name : names) numbers.push_back(parse_double(name));
  const bool are_numbers =
      std::all_of(numbers.begin(), numbers.end(),
                  [](const auto& number) { return number.has_value(); });
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    return are_numbers ? *numbers[i] < *numbers[j] : names[i] < names[j];
  });
  return order;
}

/// Counts each text   [number of different texts], in any order.
[[nodiscard]] inline std::vector<LabelCount> count_labels(
    std::span<const std::string> texts) {
  std::unordered_map<std::string_view, Index> counts;
  for (const std::string& text : texts) ++counts[text];
  std::vector<LabelCount> labels;
  labels.reserve(counts.size());
  for (const auto& [text, count] : counts) {
    labels.push_back({std::string(text), count});
  }
  return labels;
}

/// The mapping from label texts to class indices.
///
/// It is the mapping of Spark's StringIndexer with its default options.
struct LabelIndex {
  /// The text of each class   [num_classes].
  std::vector<std::string> names;

  /// Assigns indices by decreasing frequency; ties are in alphabetical order.
  ///
  /// \source Spark ml/feature/StringIndexer.scala, frequencyDesc
  [[nodiscard]] static LabelIndex fit(std::span<const std::string> texts) {
    return fit(count_labels(texts));
  }

  /// Assigns the same indices to texts that are counted, also in several parts of
  /// the data: the counts of a text are added.
  [[nodiscard]] static LabelIndex fit(std::span<const LabelCount> counts) {
    std::unordered_map<std::string_view, Index> sums;
    for (const LabelCount& part : counts) sums[part.text] += part.count;
    std::vector<std::pair<std::string_view, Index>> classes(sums.begin(),
                                                            sums.end());
    std::sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
      if (a.second != b.second) return a.second > b.second;
      return detail::is_less_in_utf16(a.first, b.first);
    });
    LabelIndex index;
    for (const auto& [text, count] : classes) index.names.emplace_back(text);
    return index;
  }

  /// Returns the class indices of the labels of a dataset   [num_instances].
  ///
  /// If all names are numbers, 1.0 and 1 are the same label. Otherwise labels
  /// that are numbers are looked up by number_name().
  /// \throws DataError with file and line if a label is unknown; DataError if
  ///         the dataset has no labels
  [[nodiscard]] Vector apply(const Dataset& data) const {
    if (!data.has_labels()) {
      throw DataError(data.source, "has no label column; expected labels");
    }
    const NameTable table(names);
    Vector labels(data.num_instances());
    for (Index i = 0; i < labels.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool is_number = data.label_texts.empty();
      const Index found = is_number ? table.find(data.labels[i])
                                    : table.find(data.label_texts[at]);
      if (found < 0) {
        throw_unknown(
            data, i,
            is_number ? number_name(data.labels[i]) : data.label_texts[at]);
      }
      labels[i] = static_cast<double>(found);
    }
    return labels;
  }

 private:
  [[noreturn]] void throw_unknown(const Dataset& data, Index instance,
                                  const std::string& text) const {
    const InstancePlace place = data.place_of(instance);
    const bool has_line = place.position.line != 0;
    const std::string where =
        has_line ? "" : "instance " + std::to_string(instance) + ": ";
    throw DataError(
        place.file, place.position,
        where + "unknown label " + in_quotes(text) +
            (is_utf8(text) ? "" : ", which " + not_utf8(place.file)) +
            "; expected one of " + quoted_list(names));
  }
};

/// Turns labels that are truth values into 0 and 1: two classes without names are these.
///
/// \return false if there are other labels, which do not change
inline bool index_truth_values(Dataset& data) {
  const std::vector<std::string>& texts = data.label_texts;
  const auto is_truth = [](const std::string& text) {
    return truth_value(text).has_value();
  };
  if (texts.empty() || !std::all_of(texts.begin(), texts.end(), is_truth)) {
    return false;
  }
  data.labels = LabelIndex{{"0", "1"}}.apply(data);
  data.label_texts.clear();
  return true;
}

}  // namespace mlp::datasets
