// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "layered_objective.hpp"

#include <type_traits>

#include "../../mlp/backend/apply_loss.hpp"
#include "../instances/memory_plan.hpp"
#include "../kernels/convert.hpp"
#include "visit_precision.hpp"

namespace mlp::cuda {

template <typename Number, typename Input>
LayeredObjective<Number, Input>::LayeredObjective(
    const Topology& topology, Precision precision,
    const InstanceRange& instances, std::size_t reserved_bytes,
    DeviceContext& context)
    : context_(context), topology_(topology) {
  constexpr std::size_t kGradientBytes =
      std::is_same_v<Number, double> ? 0 : sizeof(float);
  MemoryNeeds needs;
  needs.operand_bytes = sizeof(Input);
  needs.pass_bytes = PassArrays<Number, Input>::bytes_per_instance(
      topology, PassKind::kForwardAndBackward);
  needs.fixed_bytes =
      reserved_bytes + static_cast<std::size_t>(topology.num_weights()) *
                           (Copies::kBytes + kGradientBytes);
  const InstancePlan plan =
      plan_instances(instances, topology.num_features(), topology.num_classes(),
                     needs, context.bytes());
  const Stream& stream = context.stream();
  copies_.emplace(topology.num_weights());
  if (kGradientBytes != 0) {
    block_gradient_ = DeviceArray<float>(topology.num_weights());
  }
  pass_.emplace(topology, FrozenLayers{}, precision,
                PassKind::kForwardAndBackward, plan.memory.block_size,
                context.products());
  instances_.emplace(instances, topology.num_features(), topology.num_classes(),
                     plan, stream);
  blocks_.emplace(*instances_, plan.memory.block_size, stream);
}

template <typename Number, typename Input>
void LayeredObjective<Number, Input>::begin(const double* weights,
                                            double* value, double* gradient) {
  const Stream& stream = context_.stream();
  weights_ = copies_->make(weights, stream);
  value_ = value;
  gradient_ = gradient;
  if (num_pieces() > 0) return;  // the first piece overwrites both
  clear_on_device(value, 1, stream);
  clear_on_device(gradient, topology_.num_weights(), stream);
}

template <typename Number, typename Input>
void LayeredObjective<Number, Input>::add_piece(Index piece,
                                                const LayerEnqueued& on_layer) {
  const Index first = blocks_->first_of(piece);
  typename Pass::Inputs inputs;
  inputs.features = blocks_->load(piece);
  inputs.size = blocks_->size_of(piece);
  inputs.weights = weights_;
  LossTarget& target = inputs.target;
  target.likelihood = training_likelihood(topology_);
  const DeviceInstances<Input>& data = *instances_;
  if (data.labels()) target.labels = data.labels() + first;
  if (data.targets()) {
    target.targets = data.targets() + first * topology_.num_classes();
  }
  if (data.weights()) target.weights = data.weights() + first;
  const SumTarget<double> loss{value_, piece > 0};
  const bool is_last = piece + 1 == num_pieces();
  if constexpr (std::is_same_v<Number, double>) {
    pass_->evaluate(inputs, loss, {gradient_, piece > 0},
                    is_last ? on_layer : nullptr);
  } else {
    pass_->evaluate(inputs, loss, {block_gradient_.data(), false},
                    [&](Index k) {
                      add_layer_to_double(k, piece > 0);
                      if (is_last && on_layer) on_layer(k);
                    });
  }
}

template <typename Number, typename Input>
void LayeredObjective<Number, Input>::add_layer_to_double(Index k, bool adds) {
  const Index first = topology_.weight_offset(k);
  const Index size = topology_.layer_end(k) - first;
  const float* const numbers = block_gradient_.data() + first;
  const cudaStream_t stream = context_.stream().get();
  if (adds) {
    add_to_double(size, numbers, gradient_ + first, stream);
  } else {
    convert(size, numbers, 1.0, gradient_ + first, stream);
  }
}

template class LayeredObjective<double, double>;
template class LayeredObjective<float, float>;
template class LayeredObjective<float, BFloat16>;

std::unique_ptr<PiecewiseObjective> make_layered_objective(
    const Topology& topology, Precision precision,
    const InstanceRange& instances, std::size_t reserved_bytes,
    DeviceContext& context) {
  return visit_precision(
      precision, [&](auto types) -> std::unique_ptr<PiecewiseObjective> {
        using Types = decltype(types);
        return std::make_unique<
            LayeredObjective<typename Types::Number, typename Types::Input>>(
            topology, precision, instances, reserved_bytes, context);
      });
}

}  // namespace mlp::cuda
