// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/group_split.hpp"
#include "../../datasets/stratified_split.hpp"

namespace mlp {

namespace detail {

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

/// Refuses groups for a training without folds.
///
/// \throws ParamError
inline void refuse_groups(const datasets::Dataset& data) {
  if (data.groups.empty()) return;
  throw ParamError(
      "groups",
      "need folds, in which instances of one group stay together, and one "
      "training has none; leave them out, or choose effort standard");
}

/// Refuses instances that are all of one group: no fold would be left to train on.
///
/// \throws DataError
inline void check_groups(const datasets::Dataset& data) {
  const std::vector<Index>& groups = data.groups;
  const bool has_one =
      !groups.empty() &&
      std::equal(groups.begin() + 1, groups.end(), groups.begin());
  if (!has_one) return;
  throw DataError(data.source,
                  "all instances are of one group; expected at least 2 groups, "
                  "so that folds can keep them apart");
}

/// Refuses groups that leave no fold.
///
/// \param folds  of selection_folds()
/// \throws DataError
inline void check_group_folds(const datasets::Dataset& data,
                              const std::vector<std::vector<Index>>& folds) {
  if (data.groups.empty() || !folds.empty()) return;
  throw DataError(data.source,
                  "the groups leave no fold, because a training without a "
                  "fold's groups would not see its classes; expected instances "
                  "of a class in at least 2 groups; give other groups, or "
                  "leave them out");
}

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
                   : datasets::group_folds(groups, num_folds, seed, era);
  for (auto& fold : folds) {
    std::erase_if(fold, [&](Index i) {
      return weights.size() != 0 && weights[i] == 0.0;
    });
  }
  detail::keep_classes_trained(labels, folds);
  std::erase_if(folds, [](const auto& fold) { return fold.empty(); });
  return folds;
}

}  // namespace mlp
