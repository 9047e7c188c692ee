// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../runtime/device_code.hpp"
#include "../../runtime/launch.hpp"
#include "instance_loss.hpp"
#include "narrow_output.hpp"

namespace mlp::cuda {

namespace {

/// A block computes kSize instances. It goes through the hidden units in parts of
/// kUnits. Each thread computes the values and deltas of one unit of the part, for every
/// kGroups-th instance. In between, kLanes threads add the products of an instance.
constexpr int kThreads = 128;
constexpr int kSize = 32;
constexpr int kUnits = 64;
constexpr int kLanes = kThreads / kSize;
constexpr int kGroups = kThreads / kUnits;  ///< instances side by side

/// The numbers that a thread reads at once.
constexpr int kAtOnce = 4;

/// From one instance to the next in shared memory: the numbers that a warp reads are
/// in different banks.
constexpr int kStride = kUnits + kLanes;

/// The threads that add the sums of an output.
constexpr int kSumLanes = kThreads / (kMaxNarrowOutputs + 1);

/// The shared memory of a block.
template <typename Number, int kOutputs>
struct Shared {
  Number part[kSize * kStride];       ///< hidden units, or outputs
  Number weights[kUnits * kOutputs];  ///< of the part
  double sums[kThreads];
};

Index num_tiles(Index size) { return (size + kSize - 1) / kSize; }

/// The outputs of an instance in shared memory.
template <typename Number, typename Input>
struct OutputsInPart {
  Number* part;

  [[nodiscard]] __device__ double z(Index i) const {
    return static_cast<double>(part[i]);
  }

  __device__ void set(Index i, double delta) const {
    part[i] =
        number_cast<Number>(number_cast<Input>(static_cast<Number>(delta)));
  }
};

/// The instances of one block.
template <int kOutputs, typename Number, typename Input>
class Tile {
 public:
  __device__ explicit Tile(const NarrowOutput<Number, Input>& layer)
      : layer_(layer),
        shared_(*shared_memory<Shared<Number, kOutputs>>()),
        tile_(static_cast<Index>(blockIdx.x)),
        first_(tile_ * kSize),
        thread_(static_cast<int>(threadIdx.x)),
        row_(thread_ / kLanes),
        lane_(thread_ % kLanes) {
    const Index left = layer.target.size - first_;
    size_ = left < kSize ? static_cast<int>(left) : kSize;
    num_outputs_ = static_cast<int>(layer.target.num_outputs);
  }

  /// Computes f(z) of the hidden units, and z of the outputs.
  __device__ void forward() {
    Number z[kOutputs] = {};
    for (Index unit = 0; unit < layer_.units; unit += kUnits) {
      const int units = units_of(unit);
      load_weights(unit, units);
      activate(unit, units);
      __syncthreads();
      MLP_NO_UNROLL for (int u = lane_; u < units; u += kLanes) {
        const Number value = part(row_, u);
        for (int i = 0; i < kOutputs; ++i) {
          z[i] += shared_.weights[u * kOutputs + i] * value;
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < kOutputs; ++i) {
      for (int bits = kLanes / 2; bits > 0; bits /= 2) {
        z[i] += __shfl_xor_sync(kAllLanes, z[i], bits);
      }
      if (i % kLanes != lane_) continue;
      part(row_, i) =
          i < num_outputs_ ? z[i] + layer_.output_biases[i] : Number{0};
    }
  }

  /// Turns z of the outputs into deltas, and stores them and their sums.
  __device__ void compute_loss() {
    // Lanes of other instances of the warp take part in the sums of each.
    const bool is_inside = row_ < size_;
    const Index column = is_inside ? first_ + row_ : first_;
    const double weight = is_inside ? share_of(layer_.target, column) : 0.0;
    const InstanceLoss<kLanes, OutputsInPart<Number, Input>> instance(
        layer_.target, column, {&part(row_, 0)});
    double loss = instance.compute(weight);
    if (weight == 0.0) {
      instance.clear();
      loss = 0.0;
    }
    if (lane_ == 0) shared_.sums[row_] = loss;
    __syncthreads();
    for (int i = thread_; i < size_ * num_outputs_; i += kThreads) {
      layer_.output_delta[first_ * num_outputs_ + i] =
          number_cast<Input>(part(i / num_outputs_, i % num_outputs_));
    }
    // Sum 0 is that of the losses, sum i + 1 that of the deltas of output i.
    const int sum = thread_ / kSumLanes;
    double lane_sum = 0.0;
    if (sum <= num_outputs_) {
      for (int row = thread_ % kSumLanes; row < size_; row += kSumLanes) {
        lane_sum += sum == 0 ? shared_.sums[row]
                             : static_cast<double>(part(row, sum - 1));
      }
    }
    __syncthreads();
    shared_.sums[thread_] = lane_sum;
    __syncthreads();
    if (thread_ <= num_outputs_) {
      store_sum(thread_, shared_.sums + thread_ * kSumLanes, 1, kSumLanes);
    }
  }

  /// Computes d loss / d z of the hidden units, and the sums. Shared memory has the
  /// deltas of the outputs, and 0 for those that there are not.
  __device__ void backward() {
    const int u = thread_ % kUnits;
    for (Index unit = 0; unit < layer_.units; unit += kUnits) {
      const int units = units_of(unit);
      const double sum = u < units ? propagate(unit + u) : 0.0;
      __syncthreads();  // the sums before have been read
      shared_.sums[thread_] = sum;
      __syncthreads();
      if (thread_ < units) {
        store_sum(1 + num_outputs_ + unit + thread_, shared_.sums + thread_,
                  kUnits, kGroups);
      }
    }
  }

 private:
  __device__ Number& part(int row, int unit) const {
    return shared_.part[row * kStride + unit];
  }

  [[nodiscard]] __device__ int units_of(Index unit) const {
    const Index left = layer_.units - unit;
    return left < kUnits ? static_cast<int>(left) : kUnits;
  }

  /// Reads the weights of a part of the units; those of no output are 0.
  __device__ void load_weights(Index unit, int units) const {
    for (int i = thread_; i < units * kOutputs; i += kThreads) {
      const int output = i % kOutputs;
      const Index column = unit + i / kOutputs;
      shared_.weights[i] =
          output < num_outputs_
              ? layer_.output_weights[column * num_outputs_ + output]
              : Number{0};
    }
  }

  /// Calls use(row, offset, number, f) for the numbers of a hidden unit that this thread
  /// computes, f the activation. It reads some of them before it waits for the first.
  template <typename T, typename Use>
  __device__ void for_each_row(const T* numbers, Use&& use) const {
    // Offsets in a tile have 32 bits, which takes fewer instructions than 64.
    const auto stride = static_cast<unsigned>(layer_.units);
    MLP_NO_UNROLL for (int first = thread_ / kUnits; first < size_;
                       first += kAtOnce * kGroups) {
      T read[kAtOnce];
      MLP_UNROLL for (int i = 0; i < kAtOnce; ++i) {
        const int row = first + i * kGroups;
        if (row < size_) read[i] = numbers[static_cast<unsigned>(row) * stride];
      }
      layer_.activation.visit([&](auto f) {
        MLP_UNROLL for (int i = 0; i < kAtOnce; ++i) {
          const int row = first + i * kGroups;
          if (row < size_)
            use(row, static_cast<unsigned>(row) * stride, read[i], f);
        }
      });
    }
  }

  /// Computes f(z) of a part of the units.
  __device__ void activate(Index unit, int units) const {
    const int u = thread_ % kUnits;
    if (u >= units) return;
    const Number bias = layer_.biases[unit + u];
    const Index first = first_ * layer_.units + unit + u;
    Input* const values = layer_.value + first;
    for_each_row(layer_.product + first, [&](int row, unsigned offset, Number z,
                                             auto f) {
      const auto value = number_cast<Input>(decltype(f)::value(z + bias));
      values[offset] = value;
      part(row, u) = number_cast<Number>(value);
    });
  }

  /// Computes d loss / d z of a hidden unit for the instances of this thread.
  ///
  /// \return their sum
  __device__ double propagate(Index unit) const {
    Number weights[kOutputs];
    MLP_UNROLL for (int i = 0; i < kOutputs; ++i) {
      weights[i] = i < num_outputs_
                       ? layer_.output_weights[unit * num_outputs_ + i]
                       : Number{0};
    }
    const Index first = first_ * layer_.units + unit;
    Input* const deltas = layer_.delta + first;
    double sum = 0.0;
    const Input* const values = layer_.value + first;
    for_each_row(values, [&](int row, unsigned offset, Input read, auto f) {
      Number delta = 0;
      MLP_UNROLL for (int i = 0; i < kOutputs; ++i) {
        delta += weights[i] * part(row, i);
      }
      const auto value = number_cast<Number>(read);
      delta *= activations::derivative<decltype(f)>(value, value);
      const auto rounded = number_cast<Input>(delta);
      deltas[offset] = rounded;
      sum += number_cast<double>(rounded);
    });
    return sum;
  }

  /// Adds numbers and stores a partial sum.
  __device__ void store_sum(Index sum, const double* numbers, int stride,
                            int count) const {
    double total = 0.0;
    for (int i = 0; i < count; ++i) total += numbers[i * stride];
    layer_.partials[sum * static_cast<Index>(gridDim.x) + tile_] = total;
  }

  const NarrowOutput<Number, Input>& layer_;
  Shared<Number, kOutputs>& shared_;
  Index tile_;
  Index first_;  ///< instance
  int thread_;
  int row_;   ///< the instance with which this thread computes
  int lane_;  ///< of its kLanes threads
  int size_;
  int num_outputs_;
};

template <int kOutputs, typename Number, typename Input>
__global__ void __launch_bounds__(kThreads,
                                  sizeof(Number) == sizeof(double) ? 5 : 6)
    narrow_output_kernel(NarrowOutput<Number, Input> layer) {
  Tile<kOutputs, Number, Input> tile(layer);
  tile.forward();
  tile.compute_loss();
  tile.backward();
}

template <typename Sum>
__device__ void store(double sum, const SumTarget<Sum>& target, Index i) {
  Sum& to = target.sums[i];
  to = static_cast<Sum>(target.adds ? static_cast<double>(to) + sum : sum);
}

/// Adds the partial sums of all tiles; a block computes one sum.
template <typename Number, typename Input>
__global__ void __launch_bounds__(kThreads)
    narrow_sum_kernel(NarrowOutput<Number, Input> layer, Index tiles) {
  double* const shared = shared_memory<double>();
  const unsigned thread = threadIdx.x;
  const Index number = static_cast<Index>(blockIdx.x);
  const double* const partials = layer.partials + number * tiles;
  double sum = 0.0;
  for (Index i = thread; i < tiles; i += kThreads) sum += partials[i];
  shared[thread] = sum;
  __syncthreads();
  for (unsigned width = kThreads / 2; width > 0; width /= 2) {
    if (thread < width) shared[thread] += shared[thread + width];
    __syncthreads();
  }
  if (thread != 0) return;
  const Index num_outputs = layer.target.num_outputs;
  if (number == 0) {
    store(shared[0], layer.loss, 0);
  } else if (number <= num_outputs) {
    store(shared[0], layer.output_bias_gradient, number - 1);
  } else {
    store(shared[0], layer.bias_gradient, number - 1 - num_outputs);
  }
}

template <int kOutputs, typename Number, typename Input>
void launch_narrow_output(const NarrowOutput<Number, Input>& layer,
                          cudaStream_t stream) {
  const Index tiles = num_tiles(layer.target.size);
  launch(narrow_output_kernel<kOutputs, Number, Input>,
         {static_cast<unsigned>(tiles), kThreads,
          sizeof(Shared<Number, kOutputs>)},
         stream, layer);
  const Index sums = 1 + layer.target.num_outputs + layer.units;
  launch(narrow_sum_kernel<Number, Input>,
         {static_cast<unsigned>(sums), kThreads, kThreads * sizeof(double)},
         stream, layer, tiles);
}

}  // namespace

Index num_narrow_partials(Index units, Index num_outputs, Index size) {
  return (1 + num_outputs + units) * num_tiles(size);
}

template <typename Number, typename Input>
void narrow_output(const NarrowOutput<Number, Input>& layer,
                   cudaStream_t stream) {
  constexpr int kFew = 4;
  if (layer.target.num_outputs <= kFew) {
    launch_narrow_output<kFew>(layer, stream);
  } else if (layer.target.num_outputs <= 2 * kFew) {
    launch_narrow_output<2 * kFew>(layer, stream);
  } else if (layer.target.num_outputs <= 3 * kFew) {
    launch_narrow_output<3 * kFew>(layer, stream);
  } else {
    launch_narrow_output<4 * kFew>(layer, stream);
  }
}

template void narrow_output(const NarrowOutput<double, double>&, cudaStream_t);
template void narrow_output(const NarrowOutput<float, float>&, cudaStream_t);
template void narrow_output(const NarrowOutput<float, BFloat16>&, cudaStream_t);

}  // namespace mlp::cuda
