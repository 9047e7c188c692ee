// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace mlp::bench {

/// An affine layer of sizes that the compiler knows.
template <typename T, std::size_t NumInputs, std::size_t NumOutputs>
class CompileTimeLayer {
 public:
  static constexpr std::size_t kNumWeights = NumOutputs * (NumInputs + 1);

  /// \param weights  W [NumOutputs x NumInputs], column-major, then the biases
  explicit CompileTimeLayer(const double* weights) {
    for (std::size_t i = 0; i < NumInputs * NumOutputs; ++i) {
      weights_[i] = static_cast<T>(weights[i]);
    }
    for (std::size_t i = 0; i < NumOutputs; ++i) {
      biases_[i] = static_cast<T>(weights[NumInputs * NumOutputs + i]);
    }
  }

  [[nodiscard]] std::array<T, NumOutputs> operator()(const T* input) const {
    std::array<T, NumOutputs> output = biases_;
    for (std::size_t i = 0; i < NumInputs; ++i) {
      for (std::size_t j = 0; j < NumOutputs; ++j) {
        output[j] += weights_[i * NumOutputs + j] * input[i];
      }
    }
    return output;
  }

 private:
  alignas(64) std::array<T, NumInputs * NumOutputs> weights_;
  alignas(64) std::array<T, NumOutputs> biases_;
};

/// A network whose sizes the compiler knows: every loop has a constant bound,
/// nothing is allocated, nothing is dispatched. That is how engines for
/// real-time audio work, and what a model that was loaded at run time must
/// measure itself against.
template <typename T, std::size_t NumInputs, std::size_t... Sizes>
class CompileTimeNetwork;

template <typename T, std::size_t NumInputs, std::size_t NumOutputs>
class CompileTimeNetwork<T, NumInputs, NumOutputs> {
 public:
  /// \param weights  in Spark's flat order, all layers
  explicit CompileTimeNetwork(const double* weights) : layer_(weights) {}

  /// Computes the outputs of the last layer, before the softmax.
  [[nodiscard]] std::array<T, NumOutputs> predict_raw(const T* input) const {
    return layer_(input);
  }

 private:
  CompileTimeLayer<T, NumInputs, NumOutputs> layer_;
};

template <typename T, std::size_t NumInputs, std::size_t NumHidden,
          std::size_t Next, std::size_t... Sizes>
class CompileTimeNetwork<T, NumInputs, NumHidden, Next, Sizes...> {
  using Layer = CompileTimeLayer<T, NumInputs, NumHidden>;

 public:
  explicit CompileTimeNetwork(const double* weights)
      : layer_(weights), rest_(weights + Layer::kNumWeights) {}

  [[nodiscard]] auto predict_raw(const T* input) const {
    std::array<T, NumHidden> output = layer_(input);
    for (T& value : output) value = T{1} / (T{1} + std::exp(-value));
    return rest_.predict_raw(output.data());
  }

 private:
  Layer layer_;
  CompileTimeNetwork<T, NumHidden, Next, Sizes...> rest_;
};

}  // namespace mlp::bench
