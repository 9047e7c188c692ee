// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/index.hpp"
#include "../../mlp/backend/batch_evaluator.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/network/topology.hpp"
#include "../blas/matrix_products.hpp"
#include "../kernels/batch_norm.hpp"
#include "../kernels/column_sum.hpp"
#include "../kernels/hidden_delta.hpp"
#include "../kernels/hidden_output.hpp"
#include "../kernels/output/output_delta.hpp"
#include "../runtime/stream.hpp"
#include "device_objective.hpp"
#include "pass_arrays.hpp"
#include "weight_copies.hpp"

namespace mlp::cuda {

/// Settings of one pass over some instances.
template <typename Number>
struct DevicePassMode {
  /// Of a mini-batch in training: batch normalisation over these instances, and
  /// dropout. Null for neither.
  const DeviceBatch::Step* step = nullptr;
  const Index* places = nullptr;  ///< as in DeviceBatch
  Number* statistics = nullptr;   ///< running   [num_statistics]
};

/// What a pass forward and backward reads.
template <typename Number, typename Input>
struct PassInputs {
  const Input* features = nullptr;  ///< [num_features x size]
  Index size = 0;                   ///< at most capacity()
  NetworkWeights<Number, Input> weights;
  DevicePassMode<Number> mode;
  LossTarget target;  ///< sizes and loss function are those of the topology
};

/// A gradient that passes add to.
template <typename Number>
struct GradientSum {
  Number* gradient = nullptr;  ///< [num_weights]
  bool adds = false;           ///< false to overwrite what it contains
};

/// The layers of a network on the device, forward and backward, for up to
/// capacity() instances. It follows ReferenceNetwork.
///
/// Calls add work to the stream; none allocates or waits.
///
/// \tparam Number  double or float: of products and element-wise work
/// \tparam Input   Number, or BFloat16 with Number = float: of factors of products
template <typename Number, typename Input>
class NetworkPass {
 public:
  using Arrays = PassArrays<Number, Input>;
  using Weights = NetworkWeights<Number, Input>;
  using Mode = DevicePassMode<Number>;
  using Inputs = PassInputs<Number, Input>;

  /// \param frozen    [topology.num_layers()], or empty
  /// \param products  must outlive this object
  /// \throws ResourceError if the device has too little memory
  NetworkPass(const Topology& topology, FrozenLayers frozen,
              Precision precision, PassKind kind, Index capacity,
              MatrixProducts& products);

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] Index capacity() const { return arrays_.capacity; }

  /// Computes the layers 0 .. last.
  ///
  /// \param features  [num_features x size], size <= capacity()
  void forward(const Input* features, Index size, const Weights& weights,
               Index last, const Mode& mode);

  /// Copies the output of layer k after forward() up to it; of the last layer z.
  ///
  /// \return valid until the next call   [output_size(k) x size]
  const Number* output(Index k, Index size, const Weights& weights);

  /// Computes the loss and its gradient, from the last layer to the lowest that is
  /// not frozen.
  ///
  /// \param loss      sum of weight times loss   [1]
  /// \param sum       frozen layers are not written
  /// \param on_layer  as in DeviceObjective
  void evaluate(Inputs inputs, const SumTarget<double>& loss,
                GradientSum<Number> sum, const LayerEnqueued& on_layer);

 private:
  using Layer = typename Arrays::Layer;

  Layer& layer(Index k) { return arrays_.layers[static_cast<std::size_t>(k)]; }
  [[nodiscard]] bool is_frozen(Index k) const {
    return frozen_[static_cast<std::size_t>(k)];
  }
  const Input* input_of(Index k, const Input* features) {
    return k == 0 ? features : layer(k - 1).output.data();
  }

  /// True if the kernel that computes the delta of a layer adds it up, too.
  [[nodiscard]] bool has_summed_delta(Index k) const {
    return topology_.is_hidden(k) ? !topology_.has_batch_norm(k) : is_narrow_;
  }
  [[nodiscard]] SumTarget<Number> bias_gradient(
      Index k, const GradientSum<Number>& sum) const {
    return {sum.gradient + topology_.bias_offset(k), sum.adds};
  }

  void multiply(const ProductShape& shape, Factor<Input> a, Factor<Input> b,
                double beta, Number* c);
  Number* product_of(Index k);
  UnitDropout dropout_of(Index k, const Mode& mode) const;
  void normalise(Index k, Index size, const Weights& weights, const Mode& mode,
                 Number* z);
  void finish_output(Index k, const Input* input, Index size,
                     const Weights& weights, const Mode& mode, Number* z);
  void compute_loss(const Inputs& inputs, const SumTarget<double>& loss);
  void compute_narrow_output(const Inputs& inputs,
                             const SumTarget<double>& loss,
                             GradientSum<Number> sum);
  void backward(const Inputs& inputs, GradientSum<Number> sum,
                const LayerEnqueued& on_layer);
  void add_gradient(Index k, const Inputs& inputs, GradientSum<Number> sum);
  void propagate(Index k, Index size, const Weights& weights);
  void finish_delta(Index k, Index size, const Weights& weights,
                    const Mode& mode, GradientSum<Number> sum);
  Number* unrounded_delta(Index k);
  Input* delta_of(Index k);
  const Input* output_delta_factor();

  Topology topology_;
  FrozenLayers frozen_;  // [num_layers]
  Index lowest_ = 0;     ///< the first layer that is not frozen
  Precision precision_;
  MatrixProducts& products_;
  const Stream& stream_;
  Arrays arrays_;

  /// The last two layers are computed by narrow_output().
  bool is_narrow_;

  // In the backward pass:
  int current_ = 0;         ///< which scratch contains d loss / d y
  Input* delta_ = nullptr;  ///< d loss / d (W x + b) of the layer
};

}  // namespace mlp::cuda
