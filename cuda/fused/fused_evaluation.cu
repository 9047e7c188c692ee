// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "chip_product.hpp"
#include "fused_evaluation.hpp"
#include "instance_loss.hpp"

namespace mlp::cuda {

namespace {

/// The row and the column of element threadIdx.x + n blockDim.x of a matrix, for
/// n = 0, 1, .., without a division for each.
class ElementWalk {
 public:
  __device__ explicit ElementWalk(int num_rows)
      : num_rows_(num_rows),
        row_step_(static_cast<int>(blockDim.x) % num_rows),
        column_step_(static_cast<int>(blockDim.x) / num_rows),
        row_(static_cast<int>(threadIdx.x) % num_rows),
        column_(static_cast<int>(threadIdx.x) / num_rows) {}

  [[nodiscard]] __device__ int row() const { return row_; }
  [[nodiscard]] __device__ int column() const { return column_; }

  __device__ void advance() {
    row_ += row_step_;
    column_ += column_step_;
    if (row_ < num_rows_) return;
    row_ -= num_rows_;
    ++column_;
  }

 private:
  int num_rows_;
  int row_step_;
  int column_step_;
  int row_;
  int column_;
};

/// One block at work on its slice of the instances.
template <typename Number>
class FusedBlock {
 public:
  __device__ FusedBlock(const FusedNetwork& network,
                        const FusedInstances& instances, Number* chip)
      : network_(network), instances_(instances), chip_(chip) {}

  /// Copies the weights to shared memory, clears the gradient, and writes the rows
  /// of ones.
  __device__ void load_weights(const double* weights) const {
    for (int k = 0; k < network_.num_layers; ++k) {
      const FusedLayer& layer = layer_of(k);
      ElementWalk element(layer.num_outputs);
      for (; element.column() <= layer.num_inputs; element.advance()) {
        const int at = element.row() + element.column() * layer.weight_stride;
        chip_[layer.weights + at] = static_cast<Number>(
            weights[layer.first_weight + element.row() +
                    static_cast<Index>(element.column()) * layer.num_outputs]);
        chip_[layer.gradient + at] = Number{0};
      }
      Number* const ones =
          chip_ + layer.input + layer.num_inputs * network_.tile_stride;
      for (int j = thread(); j < network_.tile_size; j += num_threads()) {
        ones[j] = Number{1};
      }
    }
  }

  /// Evaluates a tile: adds its gradient, and returns the loss of the instance of
  /// this thread, if it has one.
  ///
  /// \pre  the threads have met since the tile before
  __device__ double evaluate_tile(Index first, int size) const {
    load_features(first, size);
    __syncthreads();
    for (int k = 0; k < network_.num_layers; ++k) {
      compute_output(k, size);
      __syncthreads();
    }
    const double loss = thread() < size ? compute_loss(first) : 0.0;
    __syncthreads();
    for (int k = network_.num_layers - 1; k > 0; --k) {
      add_gradient(layer_of(k), size);
      __syncthreads();
      compute_delta_below(k, size);
      __syncthreads();
    }
    add_gradient(layer_of(0), size);
    return loss;
  }

  /// Copies the gradient to device memory.
  ///
  /// \param[out] gradient  [num_weights]
  __device__ void store_gradient(Number* gradient) const {
    for (int k = 0; k < network_.num_layers; ++k) {
      const FusedLayer& layer = layer_of(k);
      ElementWalk element(layer.num_outputs);
      for (; element.column() <= layer.num_inputs; element.advance()) {
        gradient[layer.first_weight + element.row() +
                 static_cast<Index>(element.column()) * layer.num_outputs] =
            chip_[layer.gradient + element.row() +
                  element.column() * layer.weight_stride];
      }
    }
  }

 private:
  using Matrix = ChipMatrix<Number>;
  using ConstMatrix = ChipMatrix<const Number>;

  /// The outputs of a hidden layer, and where its z are kept, laid out alike; null
  /// if the derivative does not need them.
  struct HiddenOutputs {
    Number* outputs;
    Number* sums;
    int stride;
    int num_units;
    int size;
  };

  /// Writes f(z) in the place of z.
  struct Activate : HiddenOutputs {
    template <typename F>
    __device__ void operator()(F /*f*/) const {
      for_own_elements(this->num_units, this->size, [&](int unit, int j) {
        const int at = unit * this->stride + j;
        const Number sum = this->outputs[at];
        if constexpr (activations::kNeedsInput<F>) this->sums[at] = sum;
        this->outputs[at] = F::value(sum);
      });
    }
  };

  /// Writes f'(z) in the place of f(z).
  struct Differentiate : HiddenOutputs {
    template <typename F>
    __device__ void operator()(F /*f*/) const {
      for_own_elements(this->num_units, this->size, [&](int unit, int j) {
        const int at = unit * this->stride + j;
        const Number value = this->outputs[at];
        if constexpr (activations::kNeedsInput<F>) {
          this->outputs[at] = F::derivative(this->sums[at], value);
        } else {
          this->outputs[at] = F::derivative(value);
        }
      });
    }
  };

  [[nodiscard]] static __device__ int thread() {
    return static_cast<int>(threadIdx.x);
  }
  [[nodiscard]] static __device__ int num_threads() {
    return static_cast<int>(blockDim.x);
  }
  [[nodiscard]] __device__ const FusedLayer& layer_of(int k) const {
    return network_.layers[static_cast<std::size_t>(k)];
  }

  /// Units or features of the tile   [units x size]
  [[nodiscard]] __device__ Matrix values_at(int position) const {
    return {chip_ + position, network_.tile_stride, 1};
  }
  [[nodiscard]] static __device__ ConstMatrix as_const(const Matrix& matrix) {
    return {matrix.numbers, matrix.row_stride, matrix.column_stride};
  }
  [[nodiscard]] static __device__ ConstMatrix transpose(const Matrix& matrix) {
    return {matrix.numbers, matrix.column_stride, matrix.row_stride};
  }
  [[nodiscard]] __device__ Matrix weights_at(int position,
                                             const FusedLayer& layer) const {
    return {chip_ + position, 1, layer.weight_stride};
  }
  [[nodiscard]] __device__ HiddenOutputs hidden_outputs(const FusedLayer& layer,
                                                        int size) const {
    return {chip_ + layer.output, layer.sums < 0 ? nullptr : chip_ + layer.sums,
            network_.tile_stride, layer.num_outputs, size};
  }

  [[nodiscard]] __device__ double feature(Index position) const {
    switch (instances_.type) {
      case FeatureType::kFloat64:
        return static_cast<const double*>(instances_.features)[position];
      case FeatureType::kFloat32:
        return static_cast<const float*>(instances_.features)[position];
      default:
        return static_cast<const std::uint8_t*>(instances_.features)[position];
    }
  }

  __device__ void load_features(Index first, int size) const {
    const FusedLayer& layer = layer_of(0);
    const Matrix features = values_at(layer.input);
    ElementWalk element(layer.num_inputs);
    for (; element.column() < size; element.advance()) {
      const Index position =
          (first + element.column()) * layer.num_inputs + element.row();
      features.at(element.row(), element.column()) =
          static_cast<Number>(instances_.scale * feature(position));
    }
  }

  /// y = f([W b] x), or z of the last layer.
  __device__ void compute_output(int k, int size) const {
    const FusedLayer& layer = layer_of(k);
    multiply_on_chip(layer.num_outputs, size, layer.num_inputs + 1,
                     as_const(weights_at(layer.weights, layer)),
                     as_const(values_at(layer.input)), values_at(layer.output),
                     Assign{});
    if (k + 1 == network_.num_layers) return;
    layer.activation.visit(Activate{hidden_outputs(layer, size)});
  }

  /// Turns z of the instance of this thread into d loss / d z.
  __device__ double compute_loss(Index first) const {
    const FusedLayer& last = layer_of(network_.num_layers - 1);
    const InstanceOutputs<Number> z{chip_ + last.output + thread(),
                                    network_.tile_stride, network_.num_classes};
    const Index i = first + thread();
    const double weight = instances_.weights ? instances_.weights[i] : 1.0;
    if (weight == 0.0) {
      for (int c = 0; c < z.size; ++c) z.set(c, 0.0);
      return 0.0;
    }
    if (network_.loss == Loss::kSoftmaxNll) {
      return network_.is_of_probabilities
                 ? softmax_nll(z, instances_.labels[i], weight)
                 : log_softmax_nll(z, instances_.labels[i],
                                   network_.label_smoothing, weight);
    }
    const double* const target = instances_.targets + i * network_.num_classes;
    return network_.loss == Loss::kSigmoidSquaredError
               ? sigmoid_squared_error(z, target, weight)
               : squared_error(z, target, weight);
  }

  /// [dW db] += delta [x 1]^T.
  __device__ void add_gradient(const FusedLayer& layer, int size) const {
    multiply_on_chip(layer.num_outputs, layer.num_inputs + 1, size,
                     as_const(values_at(layer.output)),
                     transpose(values_at(layer.input)),
                     weights_at(layer.gradient, layer), Add{});
  }

  /// Computes delta = (W^T delta) .* f'(z) of the layer before, in place of its
  /// output.
  __device__ void compute_delta_below(int k, int size) const {
    const FusedLayer& layer = layer_of(k);
    const FusedLayer& below = layer_of(k - 1);
    below.activation.visit(Differentiate{hidden_outputs(below, size)});
    multiply_on_chip(below.num_outputs, size, layer.num_outputs,
                     transpose(weights_at(layer.weights, layer)),
                     as_const(values_at(layer.output)), values_at(below.output),
                     Multiply{});
  }

  const FusedNetwork& network_;
  const FusedInstances& instances_;
  Number* chip_;
};

template <typename Number>
__global__ void __launch_bounds__(FusedPlan::kMaxThreads, 2)
    evaluate_slices_kernel(const __grid_constant__ FusedNetwork network,
                           const __grid_constant__ FusedInstances instances,
                           Index slice_size, const double* weights,
                           Number* gradients, double* losses) {
  const FusedBlock<Number> block(network, instances, shared_memory<Number>());
  block.load_weights(weights);
  const Index slice = static_cast<Index>(blockIdx.x);
  const Index begin = slice * slice_size;
  const Index end = std::min(begin + slice_size, instances.size);
  double loss = 0.0;
  for (Index first = begin; first < end; first += network.tile_size) {
    const Index size = std::min<Index>(network.tile_size, end - first);
    loss += block.evaluate_tile(first, static_cast<int>(size));
    __syncthreads();
  }
  block.store_gradient(gradients + slice * network.num_weights);
  __syncthreads();
  const double sum = sum_block(loss, shared_memory<double>());
  if (threadIdx.x == 0) losses[slice] = sum;
}

}  // namespace

template <typename Number>
void evaluate_slices(const FusedPlan& plan, const FusedInstances& instances,
                     const double* weights, Number* gradients, double* losses,
                     cudaStream_t stream) {
  const Grid grid{static_cast<unsigned>(plan.num_slices), plan.num_threads,
                  plan.shared_bytes};
  launch(evaluate_slices_kernel<Number>, grid, stream, plan.network, instances,
         plan.slice_size, weights, gradients, losses);
}

template void evaluate_slices(const FusedPlan&, const FusedInstances&,
                              const double*, double*, double*, cudaStream_t);
template void evaluate_slices(const FusedPlan&, const FusedInstances&,
                              const double*, float*, double*, cudaStream_t);

}  // namespace mlp::cuda
