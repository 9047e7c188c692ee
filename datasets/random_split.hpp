// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/spark_random.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "partition.hpp"
#include "select.hpp"
#include "stored/row_order.hpp"

/// Random split of instances, row for row as Spark's randomSplit().
namespace mlp::datasets {

namespace detail {

/// Returns a number below 0 if the label of instance a is the smaller one, and 0 for
/// equal ones.
inline int compare_labels(const Dataset& data, Index a, Index b) {
  if (data.labels.size() != 0) {
    const double x = data.labels[a];
    const double y = data.labels[b];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (data.label_texts.empty()) return 0;
  return data.label_texts[static_cast<std::size_t>(a)].compare(
      data.label_texts[static_cast<std::size_t>(b)]);
}

/// The zeros that a file of sparse vectors states explicitly, by instance.
class ExplicitZeros {
 public:
  /// \param data  must outlive this object
  /// \cost  one pass over the zeros
  explicit ExplicitZeros(const Dataset& data) : zeros_(data.stored_zeros) {
    if (data.vector_kind != VectorKind::kSparse) return;
    first_.resize(static_cast<std::size_t>(data.num_instances()) + 1);
    for (const StoredZero& zero : zeros_) {
      ++first_[static_cast<std::size_t>(zero.instance) + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  /// Returns the zeros of an instance, in the order of their features.
  ///
  /// \pre the vectors are sparse
  [[nodiscard]] std::span<const StoredZero> of(Index instance) const {
    const auto at = static_cast<std::size_t>(instance);
    return zeros_.subspan(
        static_cast<std::size_t>(first_[at]),
        static_cast<std::size_t>(first_[at + 1] - first_[at]));
  }

 private:
  std::span<const StoredZero> zeros_;
  std::vector<Index> first_;  // [num_instances + 1]; empty for dense vectors
};

/// Replaces the features of a sparse vector by keys that sort its list of stored
/// features as Spark does: a list that has ended comes first, then one that has the
/// feature, then one that goes on behind it.
///
/// \param         zeros     that the list has
/// \param[in,out] features  [num_features]
inline void make_list_keys(std::span<const StoredZero> zeros,
                           Index num_features, double* features) {
  constexpr double kHasEnded = -1.0;
  constexpr double kIsStored = 0.0;
  constexpr double kGoesOn = 1.0;
  double key = kHasEnded;
  for (Index i = num_features; i-- > 0;) {
    const bool is_zero = !zeros.empty() && zeros.back().feature == i;
    if (is_zero) zeros = zeros.first(zeros.size() - 1);
    const bool is_stored = is_zero || features[i] != 0.0;
    features[i] = is_stored ? kIsStored : key;
    if (is_stored) key = kGoesOn;
  }
}

/// Orders instances as Spark sorts rows of a label and a vector column.
///
/// It compares the labels, then the indices of the vectors, then their values.
/// Spark first compares type and size, which are equal within a dataset.
/// \source Spark catalyst InterpretedOrdering on VectorUDT's sqlType
class SparkRowOrder {
 public:
  /// \param data  must outlive this object
  /// \cost  one pass over the explicit zeros
  explicit SparkRowOrder(const Dataset& data) : data_(data), zeros_(data) {}

  [[nodiscard]] bool operator()(Index a, Index b) const {
    const int labels = compare_labels(data_, a, b);
    if (labels != 0) return labels < 0;
    if (data_.vector_kind == VectorKind::kSparse) {
      return is_sparse_less(a, b);
    }
    const double* const x = data_.feature_matrix().col(a).data();
    const double* const y = data_.feature_matrix().col(b).data();
    const Index width = data_.num_features();
    if (data_.columns.empty()) {
      return std::lexicographical_compare(x, x + width, y, y + width);
    }
    return std::lexicographical_compare(x, x + width, y, y + width,
                                        is_less_or_missing);
  }

 private:
  /// Reads which features a sparse vector stores, in increasing order: those
  /// that are not zero, and the zeros that the file states explicitly.
  class StoredFeatures {
   public:
    StoredFeatures(const double* values, std::span<const StoredZero> zeros)
        : values_(values), zeros_(zeros) {}

    /// \param feature  not less than in the calls before
    [[nodiscard]] bool contains(Index feature) {
      if (values_[feature] != 0.0) return true;
      while (next_ < zeros_.size() && zeros_[next_].feature < feature) ++next_;
      return next_ < zeros_.size() && zeros_[next_].feature == feature;
    }

    [[nodiscard]] bool contains_any_after(Index feature, Index num_features) {
      while (++feature < num_features) {
        if (contains(feature)) return true;
      }
      return false;
    }

   private:
    const double* values_;  // [num_features]
    std::span<const StoredZero> zeros_;
    std::size_t next_ = 0;
  };

  [[nodiscard]] StoredFeatures stored_features(Index instance) const {
    return {data_.feature_matrix().col(instance).data(), zeros_.of(instance)};
  }

  /// Compares the lists of stored features, then the values, in one pass. At
  /// the first difference of the lists, the list with the smaller feature comes
  /// first; but a list that has ended comes before all its continuations.
  [[nodiscard]] bool is_sparse_less(Index a, Index b) const {
    StoredFeatures in_a = stored_features(a);
    StoredFeatures in_b = stored_features(b);
    const Index width = data_.num_features();
    int by_values = 0;
    for (Index i = 0; i < width; ++i) {
      const bool is_in_a = in_a.contains(i);
      if (is_in_a != in_b.contains(i)) {
        return is_in_a ? in_b.contains_any_after(i, width)
                       : !in_a.contains_any_after(i, width);
      }
      const double x = data_.feature_matrix()(i, a);
      const double y = data_.feature_matrix()(i, b);
      if (by_values == 0 && x != y) by_values = x < y ? -1 : 1;
    }
    return by_values < 0;
  }

  const Dataset& data_;
  ExplicitZeros zeros_;
};

/// Divides [0, 1) into intervals in proportion to weights   [weights + 1].
///
/// The bounds are summed in the same order as in Scala, for the same bits. The
/// last bound can be less than 1. Like Spark, the split then drops an instance
/// whose random number is not below it.
/// \source Spark sql/Dataset.scala, randomSplit
inline std::vector<double> split_bounds(std::span<const double> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0 && std::isfinite(weights[i])) continue;
    throw ParamError("split weights must be 0 or more; weight " +
                     std::to_string(i) + " is " + format_double(weights[i]));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw ParamError("split weights must have a positive sum, got " +
                     format_list(weights));
  }
  std::vector<double> bounds = {0.0};
  for (const double weight : weights) {
    bounds.push_back(bounds.back() + weight / sum);
  }
  return bounds;
}

/// Returns the part whose interval contains a number, or the number of parts.
inline std::size_t find_part(const std::vector<double>& bounds, double number) {
  std::size_t part = 0;
  while (part + 1 < bounds.size() &&
         !(number >= bounds[part] && number < bounds[part + 1])) {
    ++part;
  }
  return part;
}

/// The instances of one part.
struct PartMembers {
  std::vector<Index> instances;

  /// Number of these instances in each partition   [num_partitions].
  std::vector<Index> partition_sizes;
};

/// Returns the instances in their order within each partition.
inline std::vector<Index> sort_partitions(
    const Dataset& data, std::span<const Index> partition_sizes) {
  std::vector<Index> order(static_cast<std::size_t>(data.num_instances()));
  std::iota(order.begin(), order.end(), Index{0});
  if (data.stored) {
    const ExplicitZeros zeros(data);
    MakeKeys make_keys;
    if (data.vector_kind == VectorKind::kSparse) {
      make_keys = [&](Index instance, double* features) {
        make_list_keys(zeros.of(instance), data.num_features(), features);
      };
    }
    sort_stored_rows(
        *data.stored,
        [&](Index a, Index b) { return compare_labels(data, a, b) < 0; },
        make_keys, partition_sizes, order);
    return order;
  }
  const SparkRowOrder row_order(data);
  auto row = order.begin();
  for (const Index size : partition_sizes) {
    std::stable_sort(row, row + size, std::cref(row_order));
    row += size;
  }
  return order;
}

/// Sorts each partition and assigns each of its rows to a part at random.
///
/// \param bounds  [num_parts + 1]
inline std::vector<PartMembers> draw_parts(
    const Dataset& data, std::span<const Index> partition_sizes,
    const std::vector<double>& bounds, std::int64_t seed, SeedHash era) {
  std::vector<PartMembers> parts(bounds.size() - 1);
  const std::vector<Index> order = sort_partitions(data, partition_sizes);
  auto row = order.begin();
  auto partition_seed = static_cast<std::uint64_t>(seed);
  for (const Index size : partition_sizes) {
    const auto end = row + size;
    for (PartMembers& part : parts) part.partition_sizes.push_back(0);
    SparkRandom random(static_cast<std::int64_t>(partition_seed++), era);
    for (; row != end; ++row) {
      const std::size_t part = find_part(bounds, random.next_double());
      if (part == parts.size()) continue;
      parts[part].instances.push_back(*row);
      ++parts[part].partition_sizes.back();
    }
  }
  return parts;
}

}  // namespace detail

/// Splits instances at random, row for row as Spark's randomSplit() does.
///
/// Each partition is sorted; then one random number is drawn for each row. The
/// rows of a part keep the sorted order and their partitions, and some partitions may
/// become empty. Convert label texts to indices first, because texts are sorted
/// as texts.
/// \param weights  relative sizes of the parts   [num_parts]
/// \returns the parts   [num_parts]
/// \throws ParamError if a weight is negative or not finite, if the sum is not
///         positive, or if the partition sizes do not match the instances
/// \cost   n log n comparisons in the largest partition, a copy of the data if they are
///         in memory
/// \source Spark sql/Dataset.scala, randomSplit; core RDD.randomSampleWithRange
[[nodiscard]] inline std::vector<Dataset> random_split(
    const Dataset& data, std::span<const double> weights, std::int64_t seed,
    SeedHash era = SeedHash::kSpark3) {
  const std::vector<double> bounds = detail::split_bounds(weights);
  std::vector<Index> partition_sizes = data.partition_sizes;
  if (partition_sizes.empty()) partition_sizes = {data.num_instances()};
  check_partition_sizes(partition_sizes, data.num_instances());
  std::vector<Dataset> parts;
  for (detail::PartMembers& part :
       detail::draw_parts(data, partition_sizes, bounds, seed, era)) {
    parts.push_back(select(data, part.instances));
    if (const auto& stored = parts.back().stored) {
      parts.back().stored =
          std::make_shared<const StoredFeatures>(stored->in_order());
    }
    parts.back().partition_sizes = std::move(part.partition_sizes);
  }
  return parts;
}

}  // namespace mlp::datasets
