// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../../core/index.hpp"
#include "../../mlp/backend/batch_evaluator.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../instances/device_instances.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/pinned_array.hpp"
#include "device_context.hpp"
#include "device_objective.hpp"
#include "network_pass.hpp"
#include "weight_copies.hpp"

namespace mlp::cuda {

/// The settings of a mini-batch objective.
struct BatchObjectiveSettings {
  Precision precision = Precision::kFloat64;
  FrozenLayers frozen;  ///< [topology.num_layers()], or empty
  Index max_batch_size = 1;
  std::size_t reserved_bytes = 0;  ///< that others will allocate on the device
};

/// The mean loss of mini-batches, layer by layer, with batch normalisation and
/// dropout.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
class LayeredBatchObjective final : public DeviceBatchObjective<Number> {
 public:
  /// \param instances  their features must outlive this object, as the context
  ///                   must
  /// \throws ResourceError if the device has too little memory
  /// \cost   waits until the instances are copied
  LayeredBatchObjective(const Topology& topology,
                        const BatchObjectiveSettings& settings,
                        const InstanceRange& instances, DeviceContext& context);

  [[nodiscard]] bool is_capturable() const override {
    return instances_->is_resident();
  }

  /// If the features are on the host, this waits for the positions.
  ///
  /// \pre batch.size <= settings.max_batch_size
  void add_evaluation(const DeviceBatch& batch, const Number* weights,
                      Number* statistics, double* loss, Number* gradient,
                      const LayerEnqueued& on_layer) override;

  [[nodiscard]] const DeviceInstances<Input>& instances() const {
    return *instances_;
  }

 private:
  using Pass = NetworkPass<Number, Input>;
  using Copies = WeightCopies<Number, Number, Input>;

  /// The gathered instances of a mini-batch; capacity is settings_.max_batch_size.
  struct Batch {
    DeviceArray<Input> features;       // [num_features x capacity]
    DeviceArray<std::int32_t> labels;  // [capacity], or empty
    DeviceArray<double> targets;       // [num_classes x capacity], or empty
    DeviceArray<double> weights;       // [capacity], or empty
    DeviceArray<double> weight_sum;    // [1]
    DeviceArray<double> partials;      // of column_sum()
    PinnedArray<Input> on_host;        // the features, if they come from there
  };

  void allocate_batch();
  void gather_features(const DeviceBatch& batch);
  void gather_from_host(const DeviceBatch& batch);
  LossTarget gather_target(const DeviceBatch& batch);
  void clear_frozen(Number* gradient);

  DeviceContext& context_;
  Topology topology_;
  BatchObjectiveSettings settings_;
  std::optional<DeviceInstances<Input>> instances_;
  std::optional<Copies> copies_;
  std::optional<Pass> pass_;
  Batch batch_;
  std::vector<Index> positions_;  // of the mini-batch, if they are read back
};

/// Makes the objective of a precision whose weights have the type Number: double
/// for float64, float for the others.
template <typename Number>
[[nodiscard]] std::unique_ptr<DeviceBatchObjective<Number>>
make_batch_objective(const Topology& topology,
                     const BatchObjectiveSettings& settings,
                     const InstanceRange& instances, DeviceContext& context);

}  // namespace mlp::cuda
