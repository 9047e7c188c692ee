// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../core/number_text.hpp"
#include "../core/types.hpp"

/// Counts of the labels that are numbers.
namespace mlp::datasets {

/// How often a number occurs.
struct NumberCount {
  double number = 0.0;
  Index count = 0;

  /// How the file writes it, if that is not number_name() and always the same.
  std::string spelling = {};

  friend bool operator==(const NumberCount&, const NumberCount&) = default;
};

/// Returns a number as the name of a class: 7, and not 7.0.
[[nodiscard]] inline std::string number_name(double number) {
  constexpr double kMaxDigits = 9e15;
  const auto integer =
      static_cast<std::int64_t>(std::abs(number) < kMaxDigits ? number : 0.5);
  return static_cast<double>(integer) == number ? std::to_string(integer)
                                                : format_double(number);
}

/// 2^53: float64 can tell smaller integers from their neighbours.
inline constexpr double kInexactInteger = 9007199254740992.0;

/// Returns true if a number can be a class: it is an integer, and float64 can tell
/// it from its neighbours.
[[nodiscard]] inline bool is_class_number(double number) {
  return std::abs(number) < kInexactInteger && number == std::floor(number);
}

/// Returns true if all labels are numbers that can be classes.
[[nodiscard]] inline bool are_class_numbers(const ConstVectorRef& labels) {
  return std::all_of(labels.begin(), labels.end(), is_class_number);
}

/// The different numbers among labels, if all are integers.
struct LabelNumbers {
  /// False if a label is a fraction, or an integer that float64 cannot tell from
  /// its neighbours. counts is then empty.
  bool are_integers = true;

  /// Ascending   [number of different labels]. -0 is counted as 0.
  std::vector<NumberCount> counts;

  /// \param labels  [num_instances]
  /// \cost  one pass if the integers are close to each other, else a sort
  [[nodiscard]] static LabelNumbers of(const ConstVectorRef& labels) {
    LabelNumbers numbers;
    if (labels.size() == 0) return numbers;
    if (!are_class_numbers(labels)) return {false, {}};
    const double smallest = labels.minCoeff();
    const double range = labels.maxCoeff() - smallest;
    constexpr double kMaxSpread = 4.0;  // counters per label
    if (range <= kMaxSpread * static_cast<double>(labels.size()) + 64.0) {
      numbers.count_near(labels, smallest, static_cast<std::size_t>(range) + 1);
    } else {
      numbers.count_sorted(labels);
    }
    return numbers;
  }

  /// Takes over how a file writes numbers: Dataset::label_spellings.
  void set_spellings(
      const std::vector<std::pair<double, std::string>>& spellings) {
    auto next = spellings.begin();
    for (NumberCount& entry : counts) {
      while (next != spellings.end() && next->first < entry.number) ++next;
      if (next == spellings.end()) return;
      if (next->first == entry.number) entry.spelling = next->second;
    }
  }

  /// Adds the labels of another part of the data.
  void add(const LabelNumbers& part) {
    are_integers = are_integers && part.are_integers;
    std::vector<NumberCount> all = std::move(counts);
    counts.clear();
    if (!are_integers) return;
    all.insert(all.end(), part.counts.begin(), part.counts.end());
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    for (const NumberCount& next : all) append(next);
  }

  /// Returns true if all labels are integers from 0 to num_classes - 1.
  [[nodiscard]] bool are_indices(Index num_classes) const {
    return are_integers &&
           (counts.empty() ||
            (counts.front().number >= 0.0 &&
             counts.back().number < static_cast<double>(num_classes)));
  }

  /// Returns true if each of the integers from 0 to the largest label occurs.
  [[nodiscard]] bool are_all_indices() const {
    return are_indices(static_cast<Index>(counts.size()));
  }

  /// Lists the integers: all of them if there are few, otherwise the first and the
  /// last ones.
  [[nodiscard]] std::string list() const {
    constexpr std::size_t kMaxShown = 6;
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool is_shown =
          counts.size() <= kMaxShown || i < 3 || i + 1 == counts.size();
      if (!is_shown) continue;
      if (i + 1 == counts.size() && counts.size() > kMaxShown) text += ", ...";
      if (i > 0) text += ", ";
      text += number_name(counts[i].number);
    }
    return text;
  }

  /// \pre  there are labels
  [[nodiscard]] double smallest() const { return counts.front().number; }

  /// \pre  there are labels
  [[nodiscard]] double largest() const { return counts.back().number; }

  [[nodiscard]] Index num_instances() const {
    Index sum = 0;
    for (const NumberCount& entry : counts) sum += entry.count;
    return sum;
  }

 private:
  void append(const NumberCount& next) {
    if (!counts.empty() && counts.back().number == next.number) {
      counts.back().count += next.count;
      if (counts.back().spelling != next.spelling) {
        counts.back().spelling.clear();
      }
    } else {
      counts.push_back({next.number + 0.0, next.count, next.spelling});
    }
  }

  void count_near(const ConstVectorRef& labels, double smallest,
                  std::size_t range) {
    std::vector<Index> counters(range, 0);
    for (const double label : labels) {
      ++counters[static_cast<std::size_t>(label - smallest)];
    }
    for (std::size_t i = 0; i < range; ++i) {
      if (counters[i] == 0) continue;
      append({smallest + static_cast<double>(i), counters[i]});
    }
  }

  void count_sorted(const ConstVectorRef& labels) {
    std::vector<double> sorted(labels.begin(), labels.end());
    std::sort(sorted.begin(), sorted.end());
    for (const double label : sorted) append({label, 1});
  }
};

}  // namespace mlp::datasets
