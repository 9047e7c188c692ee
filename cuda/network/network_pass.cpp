// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "network_pass.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "../kernels/column_sum.hpp"
#include "../kernels/convert.hpp"
#include "../kernels/output/narrow_output.hpp"

namespace mlp::cuda {

template <typename Number, typename Input>
NetworkPass<Number, Input>::NetworkPass(const Topology& topology,
                                        FrozenLayers frozen,
                                        Precision precision, PassKind kind,
                                        Index capacity,
                                        MatrixProducts& products)
    : topology_(topology),
      frozen_(std::move(frozen)),
      precision_(precision),
      products_(products),
      stream_(products.stream()),
      arrays_(topology, kind, capacity) {
  frozen_.resize(static_cast<std::size_t>(topology_.num_layers()));
  while (lowest_ < topology_.num_layers() && is_frozen(lowest_)) ++lowest_;
  is_narrow_ = has_narrow_output(topology_) &&
               std::find(frozen_.begin(), frozen_.end(), true) == frozen_.end();
}

template <typename Number, typename Input>
void NetworkPass<Number, Input>::multiply(const ProductShape& shape,
                                          Factor<Input> a, Factor<Input> b,
                                          double beta, Number* c) {
  if constexpr (std::is_same_v<Input, float>) {
    products_.multiply(shape, a, b, beta, c, precision_);
  } else {
    products_.multiply(shape, a, b, beta, c);
  }
}

/// Returns where the product W x of a layer is computed.
template <typename Number, typename Input>
Number* NetworkPass<Number, Input>::product_of(Index k) {
  if constexpr (Arrays::kIsInPlace) {
    if (topology_.is_hidden(k)) return layer(k).output.data();
  }
  return arrays_.scratch[0].data();
}

template <typename Number, typename Input>
UnitDropout NetworkPass<Number, Input>::dropout_of(Index k,
                                                   const Mode& mode) const {
  UnitDropout dropout;
  dropout.layer = k;
  if (!mode.step) return dropout;
  dropout.rate = topology_.hidden(k).dropout;
  dropout.seed = &mode.step->dropout_seed;
  dropout.places = mode.places;
  return dropout;
}

template <typename Number, typename Input>
void NetworkPass<Number, Input>::forward(const Input* features, Index size,
                                         const Weights& weights, Index last,
                                         const Mode& mode) {
  for (Index k = 0; k <= last; ++k) {
    const Input* const input = input_of(k, features);
    Number* const z = product_of(k);
    multiply({topology_.output_size(k), size, topology_.input_size(k)},
             {weights.operands + topology_.weight_offset(k)}, {input}, 0.0, z);
    if (!topology_.is_hidden(k)) return;
    if (topology_.has_batch_norm(k)) normalise(k, size, weights, mode, z);
    finish_output(k, input, size, weights, mode, z);
  }
}

/// Computes z = scale (W x + b - mean) / deviation + shift.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::normalise(Index k, Index size,
                                           const Weights& weights,
                                           const Mode& mode, Number* z) {
  const Index units = topology_.output_size(k);
  BatchNormOutput<Number> norm;
  norm.units = units;
  norm.size = size;
  norm.is_frozen = is_frozen(k);
  norm.biases = weights.numbers + topology_.bias_offset(k);
  norm.scales = weights.numbers + topology_.scale_offset(k);
  norm.shifts = weights.numbers + topology_.shift_offset(k);
  norm.running_mean = mode.statistics + topology_.statistic_offset(k);
  norm.running_variance = norm.running_mean + units;
  norm.z = z;
  norm.normalised = layer(k).normalised.data();
  norm.deviation = layer(k).deviation.data();
  batch_norm_output(norm, stream_.get());
}

/// Computes y = skip + dropout(f(z)).
template <typename Number, typename Input>
void NetworkPass<Number, Input>::finish_output(Index k, const Input* input,
                                               Index size,
                                               const Weights& weights,
                                               const Mode& mode, Number* z) {
  HiddenOutput<Number, Input> hidden;
  hidden.units = topology_.output_size(k);
  hidden.size = size;
  hidden.activation = topology_.hidden(k).activation;
  hidden.dropout = dropout_of(k, mode);
  hidden.product = z;
  if (!topology_.has_batch_norm(k)) {
    hidden.biases = weights.numbers + topology_.bias_offset(k);
  }
  if (topology_.has_projection(k)) {
    Number* const skip = arrays_.scratch[Arrays::kIsInPlace ? 0 : 1].data();
    multiply({hidden.units, size, topology_.input_size(k)},
             {weights.operands + topology_.projection_offset(k)}, {input}, 0.0,
             skip);
    hidden.skip_product = skip;
  } else if (topology_.is_residual(k)) {
    hidden.skip_input = input;
  }
  hidden.z = layer(k).z.data();
  hidden.value = layer(k).value.data();
  hidden.output = layer(k).output.data();
  hidden_output(hidden, stream_.get());
}

template <typename Number, typename Input>
const Number* NetworkPass<Number, Input>::output(Index k, Index size,
                                                 const Weights& weights) {
  const Index units = topology_.output_size(k);
  if (!topology_.is_hidden(k)) {
    HiddenOutput<Number, Input> last;
    last.units = units;
    last.size = size;
    last.product = product_of(k);
    last.biases = weights.numbers + topology_.bias_offset(k);
    last.z = product_of(k);
    hidden_output(last, stream_.get());
    return last.z;
  }
  if constexpr (Arrays::kIsInPlace) {
    return layer(k).output.data();
  } else {
    convert(units * size, layer(k).output.data(), 1.0,
            arrays_.scratch[0].data(), stream_.get());
    return arrays_.scratch[0].data();
  }
}

template <typename Number, typename Input>
void NetworkPass<Number, Input>::evaluate(Inputs inputs,
                                          const SumTarget<double>& loss,
                                          GradientSum<Number> sum,
                                          const LayerEnqueued& on_layer) {
  inputs.target.num_outputs = topology_.num_classes();
  inputs.target.size = inputs.size;
  inputs.target.loss_function = topology_.loss_function();
  current_ = 0;
  if (is_narrow_) {
    compute_narrow_output(inputs, loss, sum);
  } else {
    forward(inputs.features, inputs.size, inputs.weights,
            topology_.num_layers() - 1, inputs.mode);
    compute_loss(inputs, loss);
  }
  backward(inputs, sum, on_layer);
}

/// Computes the deltas of the last layer after forward(), and adds up losses.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::compute_loss(const Inputs& inputs,
                                              const SumTarget<double>& loss) {
  const Index last = topology_.num_layers() - 1;
  delta_ = delta_of(last);
  OutputDelta<Number, Input> output;
  output.target = inputs.target;
  output.product = product_of(last);
  output.biases = inputs.weights.numbers + topology_.bias_offset(last);
  output.delta = delta_;
  output.losses = arrays_.losses.data();
  output_delta(output, stream_.get());
  column_sum(1, inputs.size, arrays_.losses.data(), arrays_.partials.data(),
             loss, stream_.get());
}

/// Computes the last two layers forward, the loss, and their deltas with the
/// gradients of their biases.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::compute_narrow_output(
    const Inputs& inputs, const SumTarget<double>& loss,
    GradientSum<Number> sum) {
  const Index last = topology_.num_layers() - 1;
  const Index hidden = last - 1;
  forward(inputs.features, inputs.size, inputs.weights, hidden - 1,
          inputs.mode);
  const Weights& weights = inputs.weights;
  NarrowOutput<Number, Input> narrow;
  narrow.target = inputs.target;
  narrow.units = topology_.output_size(hidden);
  narrow.activation = topology_.hidden(hidden).activation;
  Number* const product = product_of(hidden);
  multiply({narrow.units, inputs.size, topology_.input_size(hidden)},
           {weights.operands + topology_.weight_offset(hidden)},
           {input_of(hidden, inputs.features)}, 0.0, product);
  narrow.product = product;
  narrow.biases = weights.numbers + topology_.bias_offset(hidden);
  narrow.output_weights = weights.numbers + topology_.weight_offset(last);
  narrow.output_biases = weights.numbers + topology_.bias_offset(last);
  narrow.value = layer(hidden).output.data();
  narrow.delta = delta_of(hidden);
  delta_ = arrays_.narrow_delta.data();
  narrow.output_delta = delta_;
  narrow.partials = arrays_.partials.data();
  narrow.loss = loss;
  narrow.bias_gradient = bias_gradient(hidden, sum);
  narrow.output_bias_gradient = bias_gradient(last, sum);
  narrow_output(narrow, stream_.get());
}

/// Computes the gradient from the deltas of the last layer.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::backward(const Inputs& inputs,
                                          GradientSum<Number> sum,
                                          const LayerEnqueued& on_layer) {
  const Index last = topology_.num_layers() - 1;
  for (Index k = last; k >= lowest_; --k) {
    if (!is_frozen(k)) add_gradient(k, inputs, sum);
    if (on_layer) on_layer(k);
    if (k == lowest_) return;
    if (is_narrow_ && k == last) {
      delta_ = delta_of(k - 1);
      continue;
    }
    propagate(k, inputs.size, inputs.weights);
    finish_delta(k - 1, inputs.size, inputs.weights, inputs.mode, sum);
  }
}

/// Computes dW += delta x^T, dP += (d loss / d y) x^T, and db += delta 1 if the kernel
/// that computed delta did not.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::add_gradient(Index k, const Inputs& inputs,
                                              GradientSum<Number> sum) {
  const Input* const input = input_of(k, inputs.features);
  const ProductShape shape{topology_.output_size(k), topology_.input_size(k),
                           inputs.size};
  const double beta = sum.adds ? 1.0 : 0.0;
  multiply(shape, {delta_}, {input, true}, beta,
           sum.gradient + topology_.weight_offset(k));
  if (!has_summed_delta(k)) {
    column_sum(shape.rows, inputs.size, static_cast<const Input*>(delta_),
               arrays_.partials.data(), bias_gradient(k, sum), stream_.get());
  }
  if (!topology_.has_projection(k)) return;
  multiply(shape, {output_delta_factor()}, {input, true}, beta,
           sum.gradient + topology_.projection_offset(k));
}

/// Computes d loss / d x = W^T delta + skip^T (d loss / d y) of layer k, which is
/// d loss / d y of the layer before.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::propagate(Index k, Index size,
                                           const Weights& weights) {
  const ProductShape shape{topology_.input_size(k), size,
                           topology_.output_size(k)};
  const Factor<Input> w{weights.operands + topology_.weight_offset(k), true};
  const bool is_identity =
      topology_.is_residual(k) && !topology_.has_projection(k);
  if (is_identity) {
    multiply(shape, w, {delta_}, 1.0, arrays_.scratch[current_].data());
    return;
  }
  const Input* const factor = output_delta_factor();
  current_ = 1 - current_;
  Number* const below = arrays_.scratch[current_].data();
  multiply(shape, w, {delta_}, 0.0, below);
  if (!topology_.has_projection(k)) return;
  multiply(shape, {weights.operands + topology_.projection_offset(k), true},
           {factor}, 1.0, below);
}

/// Turns d loss / d y of a hidden layer into d loss / d (W x + b), and sums it.
template <typename Number, typename Input>
void NetworkPass<Number, Input>::finish_delta(Index k, Index size,
                                              const Weights& weights,
                                              const Mode& mode,
                                              GradientSum<Number> sum) {
  HiddenDelta<Number, Input> hidden;
  hidden.units = topology_.output_size(k);
  hidden.size = size;
  hidden.activation = topology_.hidden(k).activation;
  hidden.dropout = dropout_of(k, mode);
  hidden.output_delta = arrays_.scratch[current_].data();
  hidden.z = layer(k).z.data();
  hidden.value = layer(k).value.data();
  hidden.output = layer(k).output.data();
  if (topology_.has_projection(k) && !Arrays::kIsInPlace) {
    hidden.rounded_output_delta = arrays_.rounded_delta.data();
  }
  delta_ = delta_of(k);
  if (!topology_.has_batch_norm(k)) {
    hidden.delta = delta_;
    if (!is_frozen(k)) {
      hidden.partials = arrays_.partials.data();
      hidden.bias_gradient = bias_gradient(k, sum);
    }
    hidden_delta(hidden, stream_.get());
    return;
  }
  hidden.unrounded_delta = unrounded_delta(k);
  hidden_delta(hidden, stream_.get());
  BatchNormDelta<Number, Input> norm;
  norm.units = hidden.units;
  norm.size = size;
  norm.is_frozen = is_frozen(k);
  norm.scales = weights.numbers + topology_.scale_offset(k);
  norm.deviation = layer(k).deviation.data();
  norm.normalised = layer(k).normalised.data();
  norm.output_delta = hidden.unrounded_delta;
  norm.delta = delta_;
  norm.scale_gradient = sum.gradient + topology_.scale_offset(k);
  norm.shift_gradient = sum.gradient + topology_.shift_offset(k);
  batch_norm_delta(norm, stream_.get());
}

/// Returns where d loss / d z of a layer with batch normalisation is computed.
template <typename Number, typename Input>
Number* NetworkPass<Number, Input>::unrounded_delta(Index k) {
  if (!topology_.is_residual(k)) return arrays_.scratch[current_].data();
  if constexpr (Arrays::kIsInPlace) {
    return arrays_.delta.data();
  } else {
    return arrays_.scratch[1 - current_].data();
  }
}

/// Returns where d loss / d (W x + b) of a layer is computed: in place of d loss /
/// d y, unless that is still needed or has another type.
template <typename Number, typename Input>
Input* NetworkPass<Number, Input>::delta_of(Index k) {
  if constexpr (Arrays::kIsInPlace) {
    if (!topology_.is_residual(k)) return arrays_.scratch[current_].data();
  }
  return arrays_.delta.data();
}

/// Returns d loss / d y of a layer with a projection, as a factor of products.
template <typename Number, typename Input>
const Input* NetworkPass<Number, Input>::output_delta_factor() {
  if constexpr (Arrays::kIsInPlace) {
    return arrays_.scratch[current_].data();
  } else {
    return arrays_.rounded_delta.data();
  }
}

template class NetworkPass<double, double>;
template class NetworkPass<float, float>;
template class NetworkPass<float, BFloat16>;

}  // namespace mlp::cuda
