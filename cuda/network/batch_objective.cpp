// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "batch_objective.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

#include "../instances/feature_codec.hpp"
#include "../kernels/column_sum.hpp"
#include "../kernels/gather_columns.hpp"

namespace mlp::cuda {

template <typename Number, typename Input>
LayeredBatchObjective<Number, Input>::LayeredBatchObjective(
    const Topology& topology, const BatchObjectiveSettings& settings,
    const InstanceRange& instances, DeviceContext& context)
    : context_(context), topology_(topology), settings_(settings) {
  settings_.max_batch_size = std::max<Index>(settings.max_batch_size, 1);
  MemoryNeeds needs;
  needs.operand_bytes = sizeof(Input);
  needs.pass_bytes = PassArrays<Number, Input>::bytes_per_instance(
                         topology, PassKind::kForwardAndBackward) +
                     instance_bytes(instances, topology.num_classes());
  needs.fixed_bytes =
      settings.reserved_bytes +
      static_cast<std::size_t>(topology.num_weights()) * Copies::kBytes;
  needs.least_block_size = settings_.max_batch_size;
  needs.most_block_size = settings_.max_batch_size;
  needs.copies_features = true;
  const InstancePlan plan =
      plan_instances(instances, topology.num_features(), topology.num_classes(),
                     needs, context.bytes());
  copies_.emplace(topology.num_weights());
  instances_.emplace(instances, topology.num_features(), topology.num_classes(),
                     plan, context.stream());
  allocate_batch();
}

template <typename Number, typename Input>
void LayeredBatchObjective<Number, Input>::allocate_batch() {
  const DeviceInstances<Input>& data = *instances_;
  const Index max_batch_size = settings_.max_batch_size;
  const Index num_features = topology_.num_features();
  pass_.emplace(topology_, settings_.frozen, settings_.precision,
                PassKind::kForwardAndBackward, max_batch_size,
                context_.products());
  batch_.features = DeviceArray<Input>(num_features * max_batch_size);
  if (!data.is_resident()) {
    batch_.on_host = PinnedArray<Input>(num_features * max_batch_size);
  }
  if (data.labels()) batch_.labels = DeviceArray<std::int32_t>(max_batch_size);
  if (data.targets()) {
    batch_.targets =
        DeviceArray<double>(topology_.num_classes() * max_batch_size);
  }
  if (!data.weights()) return;
  batch_.weights = DeviceArray<double>(max_batch_size);
  batch_.weight_sum = DeviceArray<double>(1);
  batch_.partials = DeviceArray<double>(most_partials(1, max_batch_size));
}

template <typename Number, typename Input>
void LayeredBatchObjective<Number, Input>::add_evaluation(
    const DeviceBatch& batch, const Number* weights, Number* statistics,
    double* loss, Number* gradient, const LayerEnqueued& on_layer) {
  const NetworkWeights<Number, Input> copies =
      copies_->make(weights, context_.stream());
  gather_features(batch);
  PassInputs<Number, Input> inputs;
  inputs.features = batch_.features.data();
  inputs.size = batch.size;
  inputs.weights = copies;
  inputs.mode = {batch.step, batch.places, statistics};
  inputs.target = gather_target(batch);
  clear_frozen(gradient);
  pass_->evaluate(inputs, {loss}, {gradient, false}, on_layer);
  const bool is_first_done =
      settings_.frozen.empty() || !settings_.frozen.front();
  if (on_layer && !is_first_done) on_layer(0);
}

template <typename Number, typename Input>
void LayeredBatchObjective<Number, Input>::gather_features(
    const DeviceBatch& batch) {
  const DeviceInstances<Input>& data = *instances_;
  const std::span positions(batch.instances,
                            static_cast<std::size_t>(batch.size));
  const auto gather = [&](const auto* from, double scale) {
    gather_columns(data.num_features(), positions, from, scale,
                   batch_.features.data(), context_.stream().get());
  };
  if (data.operands()) {
    gather(data.operands(), 1.0);
  } else if (data.bytes()) {
    gather(data.bytes(), data.byte_scale());
  } else {
    gather_from_host(batch);
  }
}

/// Reads the positions back, and copies the features of these instances.
template <typename Number, typename Input>
void LayeredBatchObjective<Number, Input>::gather_from_host(
    const DeviceBatch& batch) {
  const Stream& stream = context_.stream();
  const Index num_features = topology_.num_features();
  positions_.resize(static_cast<std::size_t>(batch.size));
  copy_to_host(batch.instances, batch.size, positions_.data(), stream);
  stream.synchronize();
  for (Index j = 0; j < batch.size; ++j) {
    const Index from = positions_[static_cast<std::size_t>(j)] * num_features;
    encode(instances_->on_host().features + from, num_features, 1.0,
           batch_.on_host.data() + j * num_features);
  }
  copy_to_device(batch_.on_host.data(), batch.size * num_features,
                 batch_.features.data(), stream);
}

template <typename Number, typename Input>
LossTarget LayeredBatchObjective<Number, Input>::gather_target(
    const DeviceBatch& batch) {
  const DeviceInstances<Input>& data = *instances_;
  const cudaStream_t stream = context_.stream().get();
  const std::span positions(batch.instances,
                            static_cast<std::size_t>(batch.size));
  LossTarget target;
  target.divisor = &batch.step->divisor;
  if (data.labels()) {
    gather_columns(1, positions, data.labels(), 1.0, batch_.labels.data(),
                   stream);
    target.labels = batch_.labels.data();
  }
  if (data.targets()) {
    gather_columns(topology_.num_classes(), positions, data.targets(), 1.0,
                   batch_.targets.data(), stream);
    target.targets = batch_.targets.data();
  }
  if (data.weights()) {
    gather_columns(1, positions, data.weights(), 1.0, batch_.weights.data(),
                   stream);
    column_sum(1, batch.size, static_cast<const double*>(batch_.weights.data()),
               batch_.partials.data(),
               SumTarget<double>{batch_.weight_sum.data()}, stream);
    target.weights = batch_.weights.data();
    target.weight_sum = batch_.weight_sum.data();
  }
  return target;
}

/// Sets the gradient of the frozen layers to 0.
template <typename Number, typename Input>
void LayeredBatchObjective<Number, Input>::clear_frozen(Number* gradient) {
  for (std::size_t k = 0; k < settings_.frozen.size(); ++k) {
    if (!settings_.frozen[k]) continue;
    const auto layer = static_cast<Index>(k);
    const Index first = topology_.weight_offset(layer);
    clear_on_device(gradient + first, topology_.layer_end(layer) - first,
                    context_.stream());
  }
}

template class LayeredBatchObjective<double, double>;
template class LayeredBatchObjective<float, float>;
template class LayeredBatchObjective<float, BFloat16>;

template <typename Number>
std::unique_ptr<DeviceBatchObjective<Number>> make_batch_objective(
    const Topology& topology, const BatchObjectiveSettings& settings,
    const InstanceRange& instances, DeviceContext& context) {
  if constexpr (std::is_same_v<Number, float>) {
    if (settings.precision == Precision::kBfloat16) {
      return std::make_unique<LayeredBatchObjective<float, BFloat16>>(
          topology, settings, instances, context);
    }
  }
  return std::make_unique<LayeredBatchObjective<Number, Number>>(
      topology, settings, instances, context);
}

template std::unique_ptr<DeviceBatchObjective<double>> make_batch_objective(
    const Topology&, const BatchObjectiveSettings&, const InstanceRange&,
    DeviceContext&);
template std::unique_ptr<DeviceBatchObjective<float>> make_batch_objective(
    const Topology&, const BatchObjectiveSettings&, const InstanceRange&,
    DeviceContext&);

}  // namespace mlp::cuda
