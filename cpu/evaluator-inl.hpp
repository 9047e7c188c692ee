// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_EVALUATOR_INL_HPP
#undef MLP_CPU_EVALUATOR_INL_HPP
#else
#define MLP_CPU_EVALUATOR_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "../activations/sigmoid.hpp"
#include "../core/error.hpp"
#include "../mlp/backend.hpp"
#include "../mlp/topology.hpp"
#include "aligned_array.hpp"
#include "exp-inl.hpp"
#include "packed_layer-inl.hpp"
#include "product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Instances computed at once: their outputs stay in the caches between forward
/// and backward. A multiple of the columns of every tile.
constexpr std::size_t kTileSize = 120;

/// The tuned evaluator, compiled for one instruction set.
class CpuEvaluator final : public Evaluator {
 public:
  explicit CpuEvaluator(const Topology& topology) : topology_(topology) {
    for (Index k = 0; k < topology.num_layers(); ++k) {
      layers_.emplace_back(topology, k);
    }
  }

  void set_weights(const double* weights) override {
    for (PackedLayer& layer : layers_) layer.set_weights(weights);
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    auto tile = std::make_unique<Tile>();
    for (const PackedLayer& layer : layers_) {
      tile->outputs.emplace_back(layer.output_stride * kTileSize);
      tile->deltas.emplace_back(layer.output_stride * kTileSize);
      tile->weight_sums.emplace_back(layer.output_stride * layer.inputs);
      tile->bias_sums.emplace_back(layer.output_stride);
    }
    return tile;
  }

  double add_gradient(const InstanceRange& instances, double* gradient,
                      Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    clear_sums(tile);
    double loss = 0.0;
    for (Index first = 0; first < instances.size;
         first += static_cast<Index>(kTileSize)) {
      const std::size_t size = tile_size(instances, first);
      const double* features = features_at(instances, first);
      forward(features, size, layers_.size(), tile);
      loss += output_delta(instances, first, size, tile);
      backward(features, size, tile);
    }
    add_sums(tile, gradient);
    return loss;
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    const auto last = static_cast<std::size_t>(k);
    const PackedLayer& layer = layers_[last];
    for (Index first = 0; first < instances.size;
         first += static_cast<Index>(kTileSize)) {
      const std::size_t size = tile_size(instances, first);
      forward(features_at(instances, first), size, last + 1, tile);
      for (std::size_t j = 0; j < size; ++j) {
        output =
            std::copy_n(tile.outputs[last].data() + j * layer.output_stride,
                        layer.outputs, output);
      }
    }
  }

 private:
  struct Tile final : Workspace {
    std::vector<AlignedArray> outputs;      ///< [output_stride x kTileSize]
    std::vector<AlignedArray> deltas;       ///< [output_stride x kTileSize]
    std::vector<AlignedArray> weight_sums;  ///< dW  [output_stride x inputs]
    std::vector<AlignedArray> bias_sums;    ///< db  [output_stride]
  };

  static std::size_t tile_size(const InstanceRange& instances, Index first) {
    return std::min(kTileSize,
                    static_cast<std::size_t>(instances.size - first));
  }

  [[nodiscard]] const double* features_at(const InstanceRange& instances,
                                          Index first) const {
    return instances.features + first * topology_.num_features();
  }

  /// Computes the outputs of the first num_layers layers; the last of all stops
  /// before its softmax.
  void forward(const double* features, std::size_t size, std::size_t num_layers,
               Tile& tile) const {
    for (std::size_t k = 0; k < num_layers; ++k) {
      const PackedLayer& layer = layers_[k];
      double* z = tile.outputs[k].data();
      const double* input = k == 0 ? features : tile.outputs[k - 1].data();
      const std::size_t stride = k == 0 ? layer.inputs : layer.input_stride;
      multiply<Start::kColumn>(
          {layer.inputs, layer.forward.data(), 0, input, stride, 1, z,
           layer.output_stride, layer.biases.data()},
          layer.outputs, size, true);
      if (k + 1 < layers_.size()) apply_sigmoid(z, layer.output_stride * size);
    }
  }

  static void apply_sigmoid(double* z, std::size_t count) {
    const Doubles d;
    for (std::size_t i = 0; i < count; i += kLanes) {
      hn::Store(sigmoid(d, hn::Load(d, z + i)), d, z + i);
    }
  }

  /// Turns z of the last layer into d loss / d z, weighted.
  ///
  /// \return sum over the tile of weight times loss
  double output_delta(const InstanceRange& instances, Index first,
                      std::size_t size, Tile& tile) const {
    const PackedLayer& layer = layers_.back();
    double* delta = tile.deltas.back().data();
    std::copy_n(tile.outputs.back().data(), layer.output_stride * size, delta);
    if (topology_.loss() == Loss::kSigmoidSquaredError) {
      return squared_error_delta(instances, first, size, delta);
    }
    for (std::size_t j = 0; j < size; ++j) {
      subtract_largest(delta + j * layer.output_stride, layer);
    }
    const Doubles d;
    for (std::size_t i = 0; i < layer.output_stride * size; i += kLanes) {
      hn::Store(exponential(d, hn::Load(d, delta + i)), d, delta + i);
    }
    double loss = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      const Index i = first + static_cast<Index>(j);
      loss += softmax_delta(delta + j * layer.output_stride, layer.outputs,
                            static_cast<std::size_t>(instances.labels[i]),
                            instances.weights[i]);
    }
    return loss;
  }

  /// z -= its largest; NaN is never the largest (mlp/output_loss.hpp).
  static void subtract_largest(double* z, const PackedLayer& layer) {
    double largest = std::numeric_limits<double>::lowest();
    for (std::size_t i = 0; i < layer.outputs; ++i) {
      if (z[i] > largest) largest = z[i];
    }
    for (std::size_t i = 0; i < layer.outputs; ++i) z[i] -= largest;
  }

  /// Turns exp(z - largest) of one instance into weight (p - t).
  ///
  /// \return weight times loss, NaN where another probability than the label's
  ///         is not above 0 (mlp/output_loss.hpp)
  static double softmax_delta(double* e, std::size_t num_classes,
                              std::size_t label, double weight) {
    double sum = 0.0;
    for (std::size_t i = 0; i < num_classes; ++i) sum += e[i];
    bool is_number = true;
    double of_label = 0.0;
    for (std::size_t i = 0; i < num_classes; ++i) {
      const double p = e[i] / sum;
      if (i == label) of_label = p;
      is_number = is_number && (i == label || p > 0.0);
      e[i] = weight * (i == label ? p - 1.0 : p);
    }
    return is_number ? weight * -std::log(of_label)
                     : std::numeric_limits<double>::quiet_NaN();
  }

  double squared_error_delta(const InstanceRange& instances, Index first,
                             std::size_t size, double* delta) const {
    const PackedLayer& layer = layers_.back();
    double loss = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      const Index i = first + static_cast<Index>(j);
      const double* target = instances.targets + i * topology_.num_classes();
      double* z = delta + j * layer.output_stride;
      double sum = 0.0;
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        const double output = activations::Sigmoid::value(z[o]);
        const double difference = output - target[o];
        sum += difference * difference;
        z[o] = instances.weights[i] * difference * (output - output * output);
      }
      loss += instances.weights[i] * sum / 2.0;
    }
    return loss;
  }

  void backward(const double* features, std::size_t size, Tile& tile) const {
    for (std::size_t k = layers_.size(); k-- > 0;) {
      const PackedLayer& layer = layers_[k];
      const double* delta = tile.deltas[k].data();
      const double* input = k == 0 ? features : tile.outputs[k - 1].data();
      const std::size_t stride = k == 0 ? layer.inputs : layer.input_stride;
      multiply<Start::kResult>(
          {size, delta, layer.output_stride, input, 1, stride,
           tile.weight_sums[k].data(), layer.output_stride, nullptr},
          layer.outputs, layer.inputs, false);
      add_columns(delta, size, layer.output_stride, tile.bias_sums[k].data());
      if (k == 0) return;
      double* previous = tile.deltas[k - 1].data();
      multiply<Start::kZero>(
          {layer.outputs, layer.backward.data(), 0, delta, layer.output_stride,
           1, previous, layer.input_stride, nullptr},
          layer.inputs, size, true);
      apply_derivative(input, layer.input_stride * size, previous);
    }
  }

  /// sum += each column, in order.
  static void add_columns(const double* columns, std::size_t count,
                          std::size_t stride, double* sum) {
    const Doubles d;
    for (std::size_t i = 0; i < stride; i += kLanes) {
      Lanes total = hn::Load(d, sum + i);
      for (std::size_t j = 0; j < count; ++j) {
        total = hn::Add(total, hn::Load(d, columns + j * stride + i));
      }
      hn::Store(total, d, sum + i);
    }
  }

  /// delta *= (1 - a) a.
  static void apply_derivative(const double* a, std::size_t count,
                               double* delta) {
    const Doubles d;
    for (std::size_t i = 0; i < count; i += kLanes) {
      const Lanes value = hn::Load(d, a + i);
      const Lanes slope = hn::Mul(hn::Sub(hn::Set(d, 1.0), value), value);
      hn::Store(hn::Mul(hn::Load(d, delta + i), slope), d, delta + i);
    }
  }

  void clear_sums(Tile& tile) const {
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      const PackedLayer& layer = layers_[k];
      std::fill_n(tile.weight_sums[k].data(),
                  layer.output_stride * layer.inputs, 0.0);
      std::fill_n(tile.bias_sums[k].data(), layer.output_stride, 0.0);
    }
  }

  /// Adds the padded sums to the flat gradient.
  void add_sums(const Tile& tile, double* gradient) const {
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      const PackedLayer& layer = layers_[k];
      double* to = gradient + layer.weight_offset;
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        const double* sum =
            tile.weight_sums[k].data() + i * layer.output_stride;
        for (std::size_t o = 0; o < layer.outputs; ++o) *to++ += sum[o];
      }
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        *to++ += tile.bias_sums[k].data()[o];
      }
    }
  }

  Topology topology_;
  std::vector<PackedLayer> layers_;
};

/// Makes an evaluator of this instruction set.
std::unique_ptr<Evaluator> make_evaluator(const Topology& topology,
                                          Precision precision) {
  if (precision != Precision::kFloat64) {
    throw ParamError("precision must be float64; got float32");
  }
  return std::make_unique<CpuEvaluator>(topology);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
