// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "stored_features.hpp"

/// The order of rows whose features are not in memory as a matrix.
namespace mlp::datasets {

namespace detail {

/// Spark sorts NaN, a missing value, behind all numbers.
inline bool is_less_or_missing(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

/// Sorts instances by one key after another, each within those that are equal so far.
class TieSort {
 public:
  /// \param[in,out] order  the instances; must outlive this object
  /// \param         sizes  of the groups that are sorted, one after another
  TieSort(std::vector<Index>& order, std::span<const Index> sizes)
      : order_(order) {
    std::size_t begin = 0;
    for (const Index size : sizes) {
      add(begin, begin + static_cast<std::size_t>(size));
      begin += static_cast<std::size_t>(size);
    }
  }

  /// Returns the instances that are equal to others so far, in increasing order.
  [[nodiscard]] std::vector<Index> tied() const {
    std::vector<Index> instances;
    for (const auto& [begin, end] : ties_) {
      instances.insert(instances.end(), at(begin), at(end));
    }
    std::sort(instances.begin(), instances.end());
    return instances;
  }

  /// \param is_less  compares two instances by the next key
  template <typename IsLess>
  void sort(const IsLess& is_less) {
    for (const auto& [begin, end] : std::exchange(ties_, {})) {
      std::stable_sort(at(begin), at(end), is_less);
      std::size_t first = begin;
      for (std::size_t i = begin + 1; i <= end; ++i) {
        if (i < end && !is_less(order_[i - 1], order_[i])) continue;
        add(first, i);
        first = i;
      }
    }
  }

 private:
  [[nodiscard]] std::vector<Index>::iterator at(std::size_t place) const {
    return order_.begin() + static_cast<std::ptrdiff_t>(place);
  }

  void add(std::size_t begin, std::size_t end) {
    if (end - begin > 1) ties_.emplace_back(begin, end);
  }

  std::vector<Index>& order_;
  std::vector<std::pair<std::size_t, std::size_t>> ties_;  // begin and end
};

}  // namespace detail

namespace detail {

/// Sorts instances that are equal so far by keys of their features, one feature after
/// another.
///
/// \param max_numbers  in memory at the same time
template <typename MakeKeys>
void sort_by_features(TieSort& sorting, const StoredFeatures& features,
                      std::size_t num_instances, const MakeKeys& make_keys,
                      Index max_numbers) {
  std::vector<Index> place_of(num_instances);
  Matrix columns;
  Matrix block;
  for (Index feature = 0; feature < features.num_features();
       feature += columns.rows()) {
    const std::vector<Index> tied = sorting.tied();
    if (tied.empty()) return;
    const auto num_tied = static_cast<Index>(tied.size());
    resize_anew(columns,
                std::clamp<Index>(max_numbers / num_tied, 1,
                                  features.num_features() - feature),
                num_tied);
    const StoredFeatures some = features.select(tied);
    for (Index first = 0; first < num_tied; first += block.cols()) {
      resize_anew(block, features.num_features(),
                  std::min(some.instances_at_once(), num_tied - first));
      some.read(first, block.cols(), block.data());
      for (Index i = 0; i < block.cols(); ++i) {
        make_keys(tied[static_cast<std::size_t>(first + i)],
                  block.col(i).data());
      }
      columns.middleCols(first, block.cols()) =
          block.middleRows(feature, columns.rows());
    }
    for (std::size_t i = 0; i < tied.size(); ++i) {
      place_of[static_cast<std::size_t>(tied[i])] = static_cast<Index>(i);
    }
    const auto keys_of = [&](Index instance) {
      const double* const begin =
          columns.col(place_of[static_cast<std::size_t>(instance)]).data();
      return std::span(begin, static_cast<std::size_t>(columns.rows()));
    };
    sorting.sort([&](Index a, Index b) {
      const auto x = keys_of(a);
      const auto y = keys_of(b);
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(),
                                          y.end(), is_less_or_missing);
    });
  }
}

}  // namespace detail

/// Replaces the features of an instance by keys.
using MakeKeys = std::function<void(Index instance, double* features)>;

/// Sorts the instances of each partition by their labels, then by keys if there are any,
/// and then by their features. Without keys, Spark sorts rows with dense vectors so. Equal
/// rows keep their order, and missing values are behind all numbers.
///
/// Only rows that are equal so far are read, some features at a time.
///
/// \param         has_smaller_label  compares two instances
/// \param         make_keys          gives each feature a key; may be null
/// \param[in,out] order              the instances, one partition after another
/// \param         max_numbers        in memory at the same time
/// \throws ResourceError if the file cannot be read
template <typename HasSmallerLabel>
void sort_stored_rows(const StoredFeatures& features,
                      const HasSmallerLabel& has_smaller_label,
                      const MakeKeys& make_keys,
                      std::span<const Index> partition_sizes,
                      std::vector<Index>& order,
                      Index max_numbers = Index{1} << 25) {
  detail::TieSort sorting(order, partition_sizes);
  sorting.sort(has_smaller_label);
  if (make_keys) {
    detail::sort_by_features(sorting, features, order.size(), make_keys,
                             max_numbers);
  }
  detail::sort_by_features(
      sorting, features, order.size(), [](Index, double*) {}, max_numbers);
}

}  // namespace mlp::datasets
