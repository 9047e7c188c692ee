// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "../../core/index.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../instances/device_instances.hpp"
#include "../instances/row_blocks.hpp"
#include "../runtime/device_array.hpp"
#include "device_context.hpp"
#include "device_objective.hpp"
#include "network_pass.hpp"
#include "weight_copies.hpp"

namespace mlp::cuda {

/// An objective whose evaluation can be added to the stream in pieces.
class PiecewiseObjective : public DeviceObjective {
 public:
  /// Begins an evaluation; the arguments are those of add_evaluation().
  virtual void begin(const double* weights, double* value,
                     double* gradient) = 0;

  [[nodiscard]] virtual Index num_pieces() const = 0;

  /// Adds a piece. All pieces in order make up the evaluation.
  ///
  /// \param on_layer  called in the last piece
  virtual void add_piece(Index piece, const LayerEnqueued& on_layer) = 0;

  void add_evaluation(const double* weights, double* value, double* gradient,
                      const LayerEnqueued& on_layer) final {
    begin(weights, value, gradient);
    for (Index piece = 0; piece < num_pieces(); ++piece) {
      add_piece(piece, on_layer);
    }
  }
};

/// The objective over all instances, layer by layer: cuBLAS multiplies, and one
/// kernel per layer does the work between two products.
///
/// The instances are computed in blocks of rows. Each block but the first adds its
/// gradient: in float64 the products add to the result, in the other precisions a
/// gradient in single precision is added to the result in double precision.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
class LayeredObjective final : public PiecewiseObjective {
 public:
  /// \param instances       their features must outlive this object, as the
  ///                        context must
  /// \param reserved_bytes  that others will allocate on the device
  /// \throws ResourceError if the device has too little memory
  /// \cost   waits until the instances are copied
  LayeredObjective(const Topology& topology, Precision precision,
                   const InstanceRange& instances, std::size_t reserved_bytes,
                   DeviceContext& context);

  [[nodiscard]] bool is_capturable() const override {
    return instances_->is_resident();
  }
  [[nodiscard]] Index num_pieces() const override { return blocks_->size(); }
  void begin(const double* weights, double* value, double* gradient) override;
  void add_piece(Index piece, const LayerEnqueued& on_layer) override;

  [[nodiscard]] const DeviceInstances<Input>& instances() const {
    return *instances_;
  }

 private:
  using Pass = NetworkPass<Number, Input>;
  using Copies = WeightCopies<double, Number, Input>;

  void add_layer_to_double(Index k, bool adds);

  DeviceContext& context_;
  Topology topology_;
  std::optional<DeviceInstances<Input>> instances_;
  std::optional<RowBlocks<Input>> blocks_;
  std::optional<Pass> pass_;
  std::optional<Copies> copies_;
  DeviceArray<float> block_gradient_;  // [num_weights], or empty in float64

  // Of the evaluation:
  NetworkWeights<Number, Input> weights_;
  double* value_ = nullptr;
  double* gradient_ = nullptr;
};

/// Makes the objective of a precision.
[[nodiscard]] std::unique_ptr<PiecewiseObjective> make_layered_objective(
    const Topology& topology, Precision precision,
    const InstanceRange& instances, std::size_t reserved_bytes,
    DeviceContext& context);

}  // namespace mlp::cuda
