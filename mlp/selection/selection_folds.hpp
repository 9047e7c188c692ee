// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"
#include "../../datasets/stratified_split.hpp"

namespace mlp {

namespace detail {

/// Deals groups to folds: the largest group first, each to the fold with the fewest
/// rows so far. Groups of the same size keep a random order.
inline std::vector<std::vector<Index>> deal_groups(
    const std::vector<Index>& groups, Index num_folds, std::int64_t seed,
    SeedHash era) {
  std::map<Index, std::vector<Index>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    members[groups[i]].push_back(static_cast<Index>(i));
  }
  std::vector<const std::vector<Index>*> order;
  for (const auto& [group, rows] : members) order.push_back(&rows);
  SparkRandom random(seed, era);
  for (std::size_t last = order.size() - 1; last > 0; --last) {
    const double position =
        random.next_double() * static_cast<double>(last + 1);
    std::swap(order[last],
              order[std::min(last, static_cast<std::size_t>(position))]);
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto* a, const auto* b) { return a->size() > b->size(); });
  std::vector<std::vector<Index>> folds(static_cast<std::size_t>(num_folds));
  for (const auto* rows : order) {
    const auto fold = std::min_element(
        folds.begin(), folds.end(),
        [](const auto& a, const auto& b) { return a.size() < b.size(); });
    fold->insert(fold->end(), rows->begin(), rows->end());
  }
  return folds;
}

/// Leaves out of the folds what must be trained: the rows of a class that no other
/// fold has.
inline void keep_classes_trained(const Vector& labels,
                                 std::vector<std::vector<Index>>& folds) {
  std::map<double, std::size_t> num_folds_with;
  for (const auto& fold : folds) {
    std::map<double, bool> has;
    for (const Index i : fold) has[labels[i]] = true;
    for (const auto& [label, is_there] : has) ++num_folds_with[label];
  }
  for (auto& fold : folds) {
    std::erase_if(fold,
                  [&](Index i) { return num_folds_with.at(labels[i]) == 1; });
  }
}

}  // namespace detail

/// Divides instances at random in folds that choose among trainings.
///
/// Folds have the same share of each class, or keep groups together. Every class
/// stays in the training rows of every fold: the rows of a class that one fold alone
/// would have are in no fold. Rows of weight 0, which say nothing of a training, are in
/// none either. Folds without rows are left out.
///
/// \param labels     [num_instances]; all equal for a regression
/// \param groups     the group of each instance, or empty   [num_instances]
/// \param weights    [num_instances], or empty for 1 each
/// \param num_folds  >= 2
/// \return the instances of each fold, in increasing order   [at most num_folds]
[[nodiscard]] inline std::vector<std::vector<Index>> selection_folds(
    const Vector& labels, const std::vector<Index>& groups,
    const Vector& weights, Index num_folds, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  auto folds = groups.empty()
                   ? datasets::stratified_folds(labels, num_folds, seed, era)
                   : detail::deal_groups(groups, num_folds, seed, era);
  for (auto& fold : folds) {
    std::erase_if(fold, [&](Index i) {
      return weights.size() != 0 && weights[i] == 0.0;
    });
  }
  detail::keep_classes_trained(labels, folds);
  std::erase_if(folds, [](const auto& fold) { return fold.empty(); });
  for (auto& fold : folds) std::sort(fold.begin(), fold.end());
  return folds;
}

}  // namespace mlp
