// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "lbfgs_arrays.hpp"

#include <algorithm>
#include <utility>

#include "../runtime/device_copy.hpp"
#include "../steps/lbfgs_gram.hpp"
#include "../steps/vector_sums.hpp"

namespace mlp::cuda {

namespace {

/// The corrections that get memory at first: the usual history size.
constexpr Index kFirstCapacity = 10;

/// Makes an array longer; its numbers stay, and the others are 0.
void grow_array(Index size, DeviceArray<double>& array, const Stream& stream) {
  DeviceArray<double> larger(size);
  larger.clear(stream);
  copy_on_device(array.data(), array.size(), larger.data(), stream);
  stream.synchronize();
  array = std::move(larger);
}

}  // namespace

LbfgsArrays::LbfgsArrays(Index num_weights, Index history_size, Index num_tail,
                         const Stream& stream)
    : history_size_(history_size),
      command_(1),
      results_(1),
      x_(num_weights),
      gradient_(num_weights),
      direction_(num_weights),
      trial_x_(num_weights),
      trial_gradient_(num_weights + num_tail),
      coefficients_(1),
      partials_(2 * num_partials(num_weights)) {
  // The first evaluation has no direction, and each copy to the host reads all
  // results.
  direction_.clear(stream);
  results_.clear(stream);
  memory_.num_weights = num_weights;
  memory_.command = command_.data();
  memory_.results = results_.data();
  memory_.x = x_.data();
  memory_.gradient = gradient_.data();
  memory_.direction = direction_.data();
  memory_.trial_x = trial_x_.data();
  memory_.trial_gradient = trial_gradient_.data() + num_tail;
  memory_.coefficients = coefficients_.data();
  memory_.partials = partials_.data();
}

bool LbfgsArrays::grow(Index num_corrections, const Stream& stream) {
  if (num_corrections <= memory_.capacity) return false;
  const Index wanted =
      std::max({num_corrections, 2 * memory_.capacity, kFirstCapacity});
  const Index capacity = std::min(history_size_, wanted);
  const Index num_weights = memory_.num_weights;
  grow_array(num_weights * capacity, s_, stream);
  grow_array(num_weights * capacity, y_, stream);
  coefficients_ = DeviceArray<double>(2 * capacity + 1);
  coefficients_.clear(stream);  // a direction that is refused leaves some unset
  grow_table(capacity, sy_, stream);
  grow_table(capacity, yy_, stream);
  products_ = DeviceArray<double>(4 * capacity);
  partials_ = DeviceArray<double>(num_gram_partials(num_weights, capacity));
  memory_.capacity = capacity;
  memory_.s = s_.data();
  memory_.y = y_.data();
  memory_.coefficients = coefficients_.data();
  memory_.sy = sy_.data();
  memory_.yy = yy_.data();
  memory_.products = products_.data();
  memory_.partials = partials_.data();
  return true;
}

void LbfgsArrays::grow_table(Index capacity, DeviceArray<double>& table,
                             const Stream& stream) const {
  DeviceArray<double> larger(capacity * capacity);
  larger.clear(stream);
  for (Index column = 0; column < memory_.capacity; ++column) {
    copy_on_device(table.data() + column * memory_.capacity, memory_.capacity,
                   larger.data() + column * capacity, stream);
  }
  stream.synchronize();
  table = std::move(larger);
}

}  // namespace mlp::cuda
