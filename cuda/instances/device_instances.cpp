// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_instances.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "feature_codec.hpp"

namespace mlp::cuda {

namespace {

/// Copies numbers of the host to memory of their size; null gives no memory.
template <typename T>
DeviceArray<T> copy(const T* numbers, Index size, const Stream& stream) {
  if (!numbers || size == 0) return {};
  DeviceArray<T> array(size);
  array.upload(std::span(numbers, static_cast<std::size_t>(size)), stream);
  return array;
}

}  // namespace

template <typename Input>
DeviceInstances<Input>::DeviceInstances(const InstanceRange& instances,
                                        Index num_features, Index num_outputs,
                                        const InstancePlan& plan,
                                        const Stream& stream)
    : instances_(instances),
      num_features_(num_features),
      place_(plan.memory.place),
      byte_scale_(plan.byte_scale),
      labels_(copy(instances.labels, instances.size, stream)),
      targets_(copy(instances.targets, instances.size * num_outputs, stream)),
      weights_(copy(instances.weights, instances.size, stream)) {
  if (place_ == FeaturePlace::kOperands) upload_features(operands_, stream);
  if (place_ == FeaturePlace::kBytes) upload_features(bytes_, stream);
  stream.synchronize();
}

/// Converts a piece on the host while the device copies the piece before.
template <typename Input>
template <typename Stored>
void DeviceInstances<Input>::upload_features(DeviceArray<Stored>& to,
                                             const Stream& stream) {
  constexpr Index kPieceSize = Index{1} << 22;
  const Index size = instances_.size * num_features_;
  if (size == 0) return;
  to = DeviceArray<Stored>(size);
  std::array<PinnedArray<Stored>, 2> pieces;
  std::array<Event, 2> is_copied;
  for (PinnedArray<Stored>& piece : pieces) {
    piece = PinnedArray<Stored>(std::min(size, kPieceSize));
  }
  std::size_t next = 0;
  for (Index first = 0; first < size; first += kPieceSize) {
    const Index count = std::min(size - first, kPieceSize);
    PinnedArray<Stored>& piece = pieces[next];
    is_copied[next].synchronize();
    encode(instances_.features + first, count, byte_scale_, piece.data());
    copy_to_device(piece.data(), count, to.data() + first, stream);
    is_copied[next].record(stream);
    next = 1 - next;
  }
  stream.synchronize();
}

std::size_t instance_bytes(const InstanceRange& instances, Index num_outputs) {
  return (instances.labels ? sizeof(std::int32_t) : 0) +
         (instances.targets
              ? static_cast<std::size_t>(num_outputs) * sizeof(double)
              : 0) +
         (instances.weights ? sizeof(double) : 0);
}

InstancePlan plan_instances(const InstanceRange& instances, Index num_features,
                            Index num_outputs, MemoryNeeds needs,
                            const DeviceBytes& bytes) {
  needs.num_instances = instances.size;
  needs.num_features = num_features;
  needs.instance_bytes = instance_bytes(instances, num_outputs);
  InstancePlan plan;
  needs.has_bytes = [&] {
    plan.byte_scale =
        find_byte_scale(instances.features, instances.size * num_features)
            .value_or(0.0);
    return plan.byte_scale != 0.0;
  };
  plan.memory = plan_memory(needs, bytes);
  return plan;
}

template class DeviceInstances<double>;
template class DeviceInstances<float>;
template class DeviceInstances<BFloat16>;

}  // namespace mlp::cuda
