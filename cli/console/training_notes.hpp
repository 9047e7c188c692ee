// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "console.hpp"

/// What a training says about data that a network cannot learn well from.
namespace mlp::cli {

namespace detail {

inline std::string feature_name(const datasets::Dataset& data, Index i) {
  const auto at = static_cast<std::size_t>(i);
  return at < data.feature_names.size() ? '\'' + data.feature_names[at] + '\''
                                        : std::to_string(i);
}

/// Returns the largest class of some labels, and its number of instances.
///
/// \param labels  class indices   [num_instances]
inline std::pair<Index, Index> largest_class(const Vector& labels) {
  std::vector<Index> counts;
  for (Index i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    if (label >= counts.size()) counts.resize(label + 1);
    ++counts[label];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (most == counts.end()) return {0, 0};
  return {most - counts.begin(), *most};
}

}  // namespace detail

/// Notes features of very different sizes or with large values: a network learns
/// badly from them without scaling. Reads the features once.
///
/// \param names_preset  the note names --preset modern too
inline void note_bad_scale(const Console& console,
                           const datasets::Dataset& data, bool names_preset) {
  constexpr double kLargest = 100.0;
  constexpr double kLargestRatio = 100.0;
  if (console.is_quiet || data.features.size() == 0) return;
  Vector sizes = Vector::Zero(data.num_features());
  for (Index i = 0; i < data.num_instances(); ++i) {
    sizes = sizes.cwiseMax(data.features.col(i).cwiseAbs());
  }
  Index largest = 0;
  const double most = sizes.maxCoeff(&largest);
  Index smallest = largest;
  for (Index i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 0.0 && sizes[i] < sizes[smallest]) smallest = i;
  }
  const bool is_uneven = most > kLargestRatio * sizes[smallest];
  if (!is_uneven && most <= kLargest) return;
  std::string note = "feature " + detail::feature_name(data, largest) +
                     " reaches " + format_double(most);
  if (is_uneven) {
    note += ", and feature " + detail::feature_name(data, smallest) + " only " +
            format_double(sizes[smallest]);
  }
  console.note(note +
               "; --standardize scales each feature to mean 0 and deviation "
               "1, which most networks need" +
               (names_preset
                    ? "; --preset modern does so, and chooses the other "
                      "values for most tables"
                    : ""));
}

/// Notes a classifier that is right no more often than one that always predicts the
/// largest class. Says nothing if all instances have one class.
///
/// \param labels     class indices   [num_instances]
/// \param names      of the classes; may be empty
/// \param num_right  predictions that are right
/// \param is_scaled  the features were scaled
inline void note_bad_fit(const Console& console, const Vector& labels,
                         const std::vector<std::string>& names, Index num_right,
                         bool is_scaled) {
  if (console.is_quiet) return;
  const auto [label, count] = detail::largest_class(labels);
  if (num_right > count || count == labels.size()) return;
  const auto at = static_cast<std::size_t>(label);
  console.note("the model is no better than one that always predicts '" +
               (at < names.size() ? names[at] : std::to_string(label)) +
               "': " + std::to_string(num_right) + " of " +
               std::to_string(labels.size()) +
               " training rows are right, and " + std::to_string(count) +
               " have this class; " +
               (is_scaled ? "train longer, or use other layers"
                          : "--standardize often helps"));
}

/// Notes a model that is far better on its training rows than on unseen ones.
///
/// \param train   accuracy or R2 on the training rows
/// \param unseen  its mean on the folds of a cross-validation
/// \param deviation  between the folds
inline void note_overfit(const Console& console, double train, double unseen,
                         double deviation) {
  constexpr double kLargestGap = 0.1;
  if (!(train - unseen > std::max(kLargestGap, deviation))) return;
  const auto round = [](double score) {
    return format_double(std::round(100.0 * score) / 100.0);
  };
  console.note("train " + round(train) + " is far above " + round(unseen) +
               " on unseen rows: the network learns the training rows by "
               "heart; a larger --reg-param or more rows help");
}

/// Notes the classes that never occur in the labels, at most five of them.
///
/// \param names      of the first classes; the others have none
/// \param occurring  the names, or the indices of classes without a name
inline void note_absent_classes(
    const Console& console, const std::vector<std::string>& names,
    Index num_classes, const std::unordered_set<std::string>& occurring) {
  constexpr Index kMaxShown = 5;
  std::string list;
  Index num_absent = 0;
  for (Index i = 0; i < num_classes; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_named = at < names.size();
    const std::string name = is_named ? names[at] : std::to_string(i);
    if (occurring.count(name) != 0 || ++num_absent > kMaxShown) continue;
    list += (list.empty() ? "" : ", ");
    list += is_named ? datasets::in_quotes(name) : name;
  }
  if (num_absent == 0) return;
  if (num_absent > kMaxShown) {
    list += " and " + std::to_string(num_absent - kMaxShown) + " more";
  }
  console.note("these classes never occur in the labels: " + list);
}

}  // namespace mlp::cli
