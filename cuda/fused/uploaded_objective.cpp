// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "uploaded_objective.hpp"

#include <type_traits>
#include <utility>

#include "../network/device_instances.hpp"
#include "fused_evaluation.hpp"
#include "fused_objective.hpp"

namespace mlp::cuda {

namespace {

/// An objective and the instances that it reads.
template <typename Number>
class UploadedObjective final : public DeviceObjective {
 public:
  UploadedObjective(const Topology& topology, Precision precision,
                    DeviceInstances<Number> instances, const Stream& stream)
      : instances_(std::move(instances)),
        objective_(
            make_fused_objective(topology, precision, describe(), stream)) {}

  [[nodiscard]] bool is_capturable() const override { return true; }

  void add_evaluation(const double* weights, double* value, double* gradient,
                      const LayerEnqueued& on_layer) override {
    objective_->add_evaluation(weights, value, gradient, on_layer);
  }

 private:
  [[nodiscard]] FusedInstances describe() const {
    FusedInstances described;
    described.size = instances_.size();
    if (instances_.bytes()) {
      described.features = instances_.bytes();
      described.type = FeatureType::kByte;
      described.scale = instances_.byte_scale();
    } else {
      described.features = instances_.operands();
      described.type = std::is_same_v<Number, double> ? FeatureType::kFloat64
                                                      : FeatureType::kFloat32;
    }
    described.labels = instances_.labels();
    described.targets = instances_.targets();
    described.weights = instances_.weights();
    return described;
  }

  DeviceInstances<Number> instances_;
  std::unique_ptr<DeviceObjective> objective_;
};

template <typename Number>
std::unique_ptr<DeviceObjective> upload(const Topology& topology,
                                        Precision precision,
                                        const InstanceRange& instances,
                                        DeviceContext& context) {
  // The refusals depend on sizes only.
  FusedInstances sizes;
  sizes.size = instances.size;
  if (!make_fused_objective(topology, precision, sizes, context.stream())) {
    return nullptr;
  }
  MemoryNeeds needs;
  needs.operand_bytes = sizeof(Number);
  needs.pass_bytes = sizeof(Number);  // nearly none: the kernel needs no arrays
  InstancePlan plan;
  try {
    plan = plan_instances(instances, topology.num_features(),
                          topology.num_classes(), needs,
                          context.available_bytes());
  } catch (const ResourceError&) {
    // The layered objective knows how many bytes it needs.
    return nullptr;
  }
  if (plan.memory.place == FeaturePlace::kHost) return nullptr;
  return std::make_unique<UploadedObjective<Number>>(
      topology, precision,
      DeviceInstances<Number>(instances, topology.num_features(),
                              topology.num_classes(), plan, context.stream()),
      context.stream());
}

}  // namespace

std::unique_ptr<DeviceObjective> make_uploaded_objective(
    const Topology& topology, Precision precision,
    const InstanceRange& instances, DeviceContext& context) {
  if (instances.size == 0) return nullptr;
  if (precision == Precision::kFloat64) {
    return upload<double>(topology, precision, instances, context);
  }
  if (precision == Precision::kFloat32) {
    return upload<float>(topology, precision, instances, context);
  }
  return nullptr;
}

}  // namespace mlp::cuda
