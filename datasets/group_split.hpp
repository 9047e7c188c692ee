// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "../core/spark_random.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "stratified_split.hpp"

/// Random parts of instances that keep groups together.
namespace mlp::datasets {

namespace detail {

/// Returns the instances of each group, the groups in random order.
///
/// \param groups  [num_instances], at least 1
inline std::vector<std::vector<Index>> shuffle_groups(
    const std::vector<Index>& groups, std::int64_t seed, SeedHash era) {
  std::map<Index, std::vector<Index>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    members[groups[i]].push_back(static_cast<Index>(i));
  }
  std::vector<std::vector<Index>> order;
  for (auto& [group, instances] : members) {
    order.push_back(std::move(instances));
  }
  SparkRandom random(seed, era);
  for (std::size_t last = order.size() - 1; last > 0; --last) {
    const double position =
        random.next_double() * static_cast<double>(last + 1);
    std::swap(order[last],
              order[std::min(last, static_cast<std::size_t>(position))]);
  }
  return order;
}

}  // namespace detail

/// Divides instances at random in folds that keep groups together: the largest group
/// first, each to the fold with the fewest instances so far.
///
/// \param groups     [num_instances], at least 1
/// \param num_folds  >= 1
/// \return the instances of each fold, in increasing order   [num_folds]; folds are
///         empty if there are fewer groups
[[nodiscard]] inline std::vector<std::vector<Index>> group_folds(
    const std::vector<Index>& groups, Index num_folds, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  auto order = detail::shuffle_groups(groups, seed, era);
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::vector<Index>> folds(static_cast<std::size_t>(num_folds));
  for (const auto& instances : order) {
    const auto fold = std::min_element(
        folds.begin(), folds.end(),
        [](const auto& a, const auto& b) { return a.size() < b.size(); });
    fold->insert(fold->end(), instances.begin(), instances.end());
  }
  for (auto& fold : folds) std::sort(fold.begin(), fold.end());
  return folds;
}

/// Splits instances at random in two parts that keep groups together, in the order of
/// the data. This is not Spark's randomSplit().
///
/// Each group, in random order, goes to the part that lacks most instances of its
/// share; the last one to a part that has none. With few or large groups the sizes
/// differ from the shares.
///
/// \param data     with groups
/// \param weights  relative sizes of the parts, > 0
[[nodiscard]] inline std::array<Dataset, 2> group_split(
    const Dataset& data, std::array<double, 2> weights, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  const auto count = static_cast<double>(data.num_instances());
  const double share = weights[0] / (weights[0] + weights[1]);
  std::array<double, 2> lacking = {share * count, (1.0 - share) * count};
  std::array<std::vector<Index>, 2> parts;
  const auto groups = detail::shuffle_groups(data.groups, seed, era);
  for (const auto& group : groups) {
    std::size_t to = lacking[1] > lacking[0] ? 1 : 0;
    const bool is_last = &group == &groups.back();
    if (is_last && groups.size() > 1 && parts[1 - to].empty()) to = 1 - to;
    parts[to].insert(parts[to].end(), group.begin(), group.end());
    lacking[to] -= static_cast<double>(group.size());
  }
  for (std::vector<Index>& part : parts) std::sort(part.begin(), part.end());
  return {select_within_partitions(data, parts[0]),
          select_within_partitions(data, parts[1])};
}

}  // namespace mlp::datasets
