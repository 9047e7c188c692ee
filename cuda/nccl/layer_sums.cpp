// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "layer_sums.hpp"

#include <type_traits>

namespace mlp::cuda {

template <typename Number>
LayerSums<Number>::LayerSums(distributed::DeviceAllreduce& group,
                             const Topology& topology, Index bucket_bytes)
    : group_(group) {
  if (group.world_size() == 1) return;
  buckets_ = BucketPlan(topology, bucket_bytes, sizeof(Number)).buckets();
}

template <typename Number>
std::function<void(Index)> LayerSums<Number>::begin(const Stream& stream,
                                                    Number* gradient) {
  stream_ = &stream;
  gradient_ = gradient;
  next_ = 0;
  if (buckets_.empty()) return nullptr;
  return [this](Index layer) {
    // The last bucket waits for the tail.
    std::size_t end = next_;
    while (end + 1 < buckets_.size() && buckets_[end].layer >= layer) ++end;
    if (end == next_) return;
    computed_.record(*stream_);
    computed_.block(sums_);
    add_buckets(end);
  };
}

template <typename Number>
void LayerSums<Number>::add_buckets(std::size_t end) {
  for (; next_ < end; ++next_) {
    const Bucket& bucket = buckets_[next_];
    group_.sum_on_device(gradient_ + bucket.first,
                         static_cast<std::size_t>(bucket.size), sums_.get());
  }
}

template <typename Number>
void LayerSums<Number>::finish(double* tail, Index tail_size) {
  if (buckets_.empty()) return;
  computed_.record(*stream_);
  computed_.block(sums_);
  add_buckets(buckets_.size() - 1);
  const auto last = static_cast<std::size_t>(buckets_.back().size);
  const auto tail_count = static_cast<std::size_t>(tail_size);
  bool is_joined = false;
  if constexpr (std::is_same_v<Number, double>) {
    is_joined = tail + tail_count == gradient_;
    if (is_joined) group_.sum_on_device(tail, tail_count + last, sums_.get());
  }
  if (!is_joined) {
    add_buckets(buckets_.size());
    group_.sum_on_device(tail, tail_count, sums_.get());
  }
  summed_.record(sums_);
  summed_.block(*stream_);
}

template class LayerSums<double>;
template class LayerSums<float>;

}  // namespace mlp::cuda
