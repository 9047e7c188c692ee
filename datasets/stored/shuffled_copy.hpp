// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "feature_source.hpp"

/// Copies instances in a random order.
namespace mlp::datasets {

/// Writes instances to a source in another order, in two passes over sequential files: the
/// first writes each instance to its bucket, a run of the places of the result, and the
/// second sorts each bucket in memory.
///
/// \source Sanders 1998, Random permutations on distributed, external and hierarchical
///         memory, 3
class ShuffledCopy {
 public:
  /// \param to            empty; receives order.size() instances
  /// \param order         the instance at each place of the result; each once
  /// \param bucket_bytes  of features in memory, but for more than 256 buckets
  ShuffledCopy(FeatureSource& to, std::span<const Index> order,
               std::size_t bucket_bytes = std::size_t{32} << 20)
      : to_(to), order_(order), place_of_(order.size()) {
    constexpr Index kMostBuckets = 256;
    const auto size = static_cast<Index>(order.size());
    const auto row_bytes = static_cast<std::size_t>(to.num_features()) * 8;
    bucket_size_ =
        std::max({Index{1}, static_cast<Index>(bucket_bytes / row_bytes),
                  (size + kMostBuckets - 1) / kMostBuckets});
    for (Index place = 0; place < size; ++place) {
      place_of_[static_cast<std::size_t>(
          order[static_cast<std::size_t>(place)])] = place;
    }
  }

  /// \param read  read(first, count, features) reads the instances as they are
  /// \return the place of each instance in the result
  /// \throws ResourceError if a file cannot be read or written
  template <typename Read>
  std::vector<Index> copy(Index at_once, const Read& read) && {
    fill_buckets(at_once, read);
    const auto size = static_cast<Index>(order_.size());
    for (Index first = 0; first < size; first += bucket_size_) {
      sort_bucket(first, std::min(bucket_size_, size - first));
    }
    return std::move(place_of_);
  }

 private:
  /// Instances of a bucket that are not written yet.
  struct Pending {
    Matrix features;
    Index count = 0;
    Index next = 0;  ///< where they will be written
  };

  template <typename Read>
  void fill_buckets(Index at_once, const Read& read) {
    const auto size = static_cast<Index>(order_.size());
    const Index num_buckets = (size + bucket_size_ - 1) / bucket_size_;
    const Index width = to_.num_features();
    std::vector<Pending> buckets(static_cast<std::size_t>(num_buckets));
    for (Index k = 0; k < num_buckets; ++k) {
      Pending& bucket = buckets[static_cast<std::size_t>(k)];
      resize_anew(bucket.features, width,
                  std::max<Index>(1, bucket_size_ / num_buckets));
      bucket.next = k * bucket_size_;
    }
    Matrix block;
    for (Index first = 0; first < size; first += block.cols()) {
      resize_anew(block, width, std::min(at_once, size - first));
      read(first, block.cols(), block.data());
      for (Index j = 0; j < block.cols(); ++j) {
        const Index place = place_of_[static_cast<std::size_t>(first + j)];
        Pending& bucket =
            buckets[static_cast<std::size_t>(place / bucket_size_)];
        bucket.features.col(bucket.count++) = block.col(j);
        if (bucket.count == bucket.features.cols()) write(bucket);
      }
    }
    for (Pending& bucket : buckets) write(bucket);
  }

  void write(Pending& bucket) {
    to_.write(bucket.next, bucket.features.data(), bucket.count);
    bucket.next += std::exchange(bucket.count, 0);
  }

  /// The instances of a bucket ascend before they are sorted.
  void sort_bucket(Index first, Index count) {
    const auto places = order_.subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(count));
    std::vector<Index> ascending(places.begin(), places.end());
    std::sort(ascending.begin(), ascending.end());
    Matrix from(to_.num_features(), count);
    Matrix sorted(to_.num_features(), count);
    to_.read(first, count, from.data());
    for (Index j = 0; j < count; ++j) {
      const auto found = std::lower_bound(ascending.begin(), ascending.end(),
                                          places[static_cast<std::size_t>(j)]);
      sorted.col(j) = from.col(found - ascending.begin());
    }
    to_.write(first, sorted.data(), count);
  }

  FeatureSource& to_;
  std::span<const Index> order_;
  std::vector<Index> place_of_;
  Index bucket_size_ = 1;  // instances; those of the last one may be fewer
};

}  // namespace mlp::datasets
