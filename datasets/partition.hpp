// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "reading/source_file.hpp"

/// Division of instances into Spark partitions.
namespace mlp::datasets {

/// The maximum number of partitions.
inline constexpr Index kMaxPartitions = Index{1} << 20;

/// Divides instances into partitions as Scala's parallelize() does.
///
/// Partition i has the instances floor(i n / N) to floor((i + 1) n / N) - 1.
///
/// \returns the number of instances of each partition   [num_partitions]; some
///          are 0 if there are more partitions than instances
/// \throws ParamError if num_instances is negative or num_partitions is not in
///         [1, 2^20]
/// \source Spark core/rdd/ParallelCollectionRDD.scala, slice
[[nodiscard]] inline std::vector<Index> even_partitions(Index num_instances,
                                                        Index num_partitions) {
  if (num_partitions < 1 || num_partitions > kMaxPartitions) {
    throw ParamError("num_partitions must be 1 to " +
                     std::to_string(kMaxPartitions) + ", got " +
                     std::to_string(num_partitions));
  }
  if (num_instances < 0) {
    throw ParamError("num_instances must be 0 or more, got " +
                     std::to_string(num_instances));
  }
  // i n could overflow. i (n mod N) cannot, because both are at most 2^20.
  const Index quotient = num_instances / num_partitions;
  const Index remainder = num_instances % num_partitions;
  std::vector<Index> sizes;
  sizes.reserve(static_cast<std::size_t>(num_partitions));
  for (Index i = 0; i < num_partitions; ++i) {
    sizes.push_back(quotient + (i + 1) * remainder / num_partitions -
                    i * remainder / num_partitions);
  }
  return sizes;
}

/// Returns the number of instances of each file that a dataset was read from, as Spark
/// has a partition for each file.
///
/// \throws DataError for several files of a format whose instances have no lines
[[nodiscard]] inline std::vector<Index> file_partitions(const Dataset& data) {
  if (data.files.empty()) return {data.num_instances()};
  if (data.lines.empty()) {
    throw DataError(data.source,
                    "does not say which file an instance is from; expected "
                    "files of CSV, LIBSVM, Parquet or Arrow as partitions");
  }
  std::vector<Index> sizes(data.files.size());
  for (const Index line : data.lines) ++sizes[find_file(data.files, line)];
  return sizes;
}

/// Checks that partition sizes are valid and sum to the number of instances.
///
/// \param sizes  number of instances of each partition   [num_partitions]
/// \throws ParamError if a size is negative, there is no partition, or the sum
///         is not num_instances
inline void check_partition_sizes(std::span<const Index> sizes,
                                  Index num_instances) {
  if (sizes.empty()) {
    throw ParamError("partition sizes must be at least one number, got none");
  }
  Index left = num_instances;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      throw ParamError("partition sizes must be 0 or more; partition " +
                       std::to_string(i) + " has " + std::to_string(sizes[i]));
    }
    if (sizes[i] > left) {
      throw ParamError("partition sizes must sum to the " +
                       std::to_string(num_instances) +
                       " instances; partition " + std::to_string(i) + " has " +
                       std::to_string(sizes[i]) + " where " +
                       std::to_string(left) + " are left");
    }
    left -= sizes[i];
  }
  if (left == 0) return;
  throw ParamError("partition sizes must sum to the " +
                   std::to_string(num_instances) + " instances, got " +
                   std::to_string(num_instances - left));
}

}  // namespace mlp::datasets
