// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/spark_random.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "select.hpp"

/// Random parts of instances that have the same share of each class.
namespace mlp::datasets {

namespace detail {

/// Shuffles the instances of each class.
///
/// \param labels  [num_instances]
/// \return the instances of each class, the classes in the order of their labels
inline std::vector<std::vector<Index>> shuffle_classes(const Vector& labels,
                                                       std::int64_t seed,
                                                       SeedHash era) {
  std::map<double, std::vector<Index>> members;
  for (Index i = 0; i < labels.size(); ++i) members[labels[i]].push_back(i);
  SparkRandom random(seed, era);
  std::vector<std::vector<Index>> classes;
  for (auto& [label, instances] : members) {
    for (std::size_t last = instances.size() - 1; last > 0; --last) {
      const double position =
          random.next_double() * static_cast<double>(last + 1);
      std::swap(instances[last],
                instances[std::min(last, static_cast<std::size_t>(position))]);
    }
    classes.push_back(std::move(instances));
  }
  return classes;
}

}  // namespace detail

/// Copies instances; each stays in its partition.
///
/// \param instances  in increasing order
[[nodiscard]] inline Dataset select_within_partitions(
    const Dataset& data, const std::vector<Index>& instances) {
  Dataset chosen = select(data, instances);
  auto begin = instances.begin();
  Index partition_end = 0;
  for (const Index size : data.partition_sizes) {
    partition_end += size;
    const auto end = std::lower_bound(begin, instances.end(), partition_end);
    chosen.partition_sizes.push_back(end - begin);
    begin = end;
  }
  return chosen;
}

/// Splits instances at random in two parts with the same share of each class, in
/// the order of the data. This is not Spark's randomSplit().
///
/// The number of instances of a class in the first part is that of its share,
/// rounded up or down, so that the sizes of the parts are those of the shares,
/// too. The first part has at least one instance of each class.
/// \param data     labels [num_instances]
/// \param weights  relative sizes of the parts, > 0
[[nodiscard]] inline std::array<Dataset, 2> stratified_split(
    const Dataset& data, std::array<double, 2> weights, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  const double share = weights[0] / (weights[0] + weights[1]);
  if (!(share > 0.0 && share < 1.0)) {
    throw ParamError("split weights must be positive and finite");
  }
  std::array<std::vector<Index>, 2> parts;
  std::size_t num_dealt = 0;
  const auto first_part_of = [&](std::size_t count) {
    return std::llround(share * static_cast<double>(count));
  };
  for (const auto& instances :
       detail::shuffle_classes(data.labels, seed, era)) {
    const auto count =
        std::max<Index>(1, first_part_of(num_dealt + instances.size()) -
                               first_part_of(num_dealt));
    const auto middle = instances.begin() + count;
    parts[0].insert(parts[0].end(), instances.begin(), middle);
    parts[1].insert(parts[1].end(), middle, instances.end());
    num_dealt += instances.size();
  }
  for (std::vector<Index>& part : parts) std::sort(part.begin(), part.end());
  return {select_within_partitions(data, parts[0]),
          select_within_partitions(data, parts[1])};
}

/// Divides instances at random in folds: the sizes of two folds, and their
/// numbers of instances of a class, differ by at most one.
///
/// \param labels     [num_instances]; all equal for folds without classes
/// \param num_folds  >= 1
/// \return the instances of each fold, in increasing order   [num_folds]
[[nodiscard]] inline std::vector<std::vector<Index>> stratified_folds(
    const Vector& labels, Index num_folds, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  std::vector<std::vector<Index>> folds(static_cast<std::size_t>(num_folds));
  std::size_t num_dealt = 0;
  for (const auto& instances : detail::shuffle_classes(labels, seed, era)) {
    for (const Index instance : instances) {
      folds[num_dealt++ % folds.size()].push_back(instance);
    }
  }
  for (std::vector<Index>& fold : folds) std::sort(fold.begin(), fold.end());
  return folds;
}

}  // namespace mlp::datasets
