// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../instances/feature_store.hpp"

namespace mlp {

/// Lets the system read the features of the next mini-batches while one is computed.
class BatchReadAhead {
 public:
  explicit BatchReadAhead(Index num_features)
      : size_(std::max<Index>(2, kNumbers / num_features)) {}

  /// Announces the instances of the next steps that were not announced before.
  ///
  /// \param rest   the instances of this step and those behind it in the epoch, in the
  ///               memory of one order for all epochs
  /// \param first  where the instances of this rank begin in those of all ranks
  /// \param store  of the features of the rank
  void announce(std::span<const Index> rest, Index first,
                const FeatureStore& store) {
    const Index* const all = rest.data() + rest.size();
    const bool is_new_epoch = rest.data() < begin_;
    begin_ = rest.data();
    const Index* const from =
        is_new_epoch ? begin_ : std::max(begin_, announced_);
    const Index* const to = begin_ + std::min<Index>(all - begin_, size_);
    if (to <= from || (to - from < size_ / 2 && to != all)) return;
    std::vector<Index> places;
    for (const Index* i = from; i < to; ++i) {
      const Index place = *i - first;
      if (place >= 0 && place < store.num_instances()) places.push_back(place);
    }
    announced_ = to;
    store.expect(std::move(places));
  }

 private:
  static constexpr Index kNumbers = Index{1} << 20;

  Index size_;                        // instances
  const Index* begin_ = nullptr;      // of the last step
  const Index* announced_ = nullptr;  // end of those announced
};

}  // namespace mlp
