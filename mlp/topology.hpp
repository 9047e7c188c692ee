// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"

namespace mlp {

/// What stands on the last affine layer and is minimised.
enum class Loss {
  kSoftmaxNll,           ///< softmax, negative log likelihood: the classifier
  kSigmoidSquaredError,  ///< sigmoid, half the squared error: Spark's ANN tests
};

/// The sizes of a layered feedforward network, and where each layer's weights
/// lie in the flat vector that the optimiser sees.
///
/// Layer k = 0 .. num_layers() - 1 is affine; a sigmoid follows each but the
/// last. Its weights W [output_size x input_size], column-major, and then its
/// biases [output_size] follow those of layer k - 1: Spark's flat order.
///
/// \source Spark ml/ann/Layer.scala, FeedForwardTopology.multiLayerPerceptron
class Topology {
 public:
  static constexpr Index kMaxLayers = 256;
  static constexpr Index kMaxWidth = Index{1} << 20;
  static constexpr Index kMaxWeights = (Index{1} << 31) - 1;

  /// \param layers  sizes from input to output   [num_layers + 1]
  /// \throws ParamError for fewer than 2 or more than kMaxLayers sizes, a size
  ///         outside 1 .. kMaxWidth, or more than kMaxWeights weights
  explicit Topology(std::vector<Index> layers, Loss loss = Loss::kSoftmaxNll)
      : layers_(std::move(layers)), loss_(loss) {
    check_sizes(layers_);
    offsets_.push_back(0);
    for (Index k = 0; k < num_layers(); ++k) {
      const Index size = output_size(k) * (input_size(k) + 1);
      offsets_.push_back(offsets_.back() + size);
      if (offsets_.back() > kMaxWeights) refuse_weight_count();
    }
  }

  [[nodiscard]] const std::vector<Index>& layers() const { return layers_; }
  [[nodiscard]] Loss loss() const { return loss_; }

  /// Affine layers.
  [[nodiscard]] Index num_layers() const {
    return static_cast<Index>(layers_.size()) - 1;
  }

  [[nodiscard]] Index num_features() const { return layers_.front(); }
  [[nodiscard]] Index num_classes() const { return layers_.back(); }
  [[nodiscard]] Index num_weights() const { return offsets_.back(); }

  [[nodiscard]] Index input_size(Index k) const { return layers_[at(k)]; }
  [[nodiscard]] Index output_size(Index k) const { return layers_[at(k) + 1]; }

  /// Where W of layer k starts; its biases follow at bias_offset(k).
  [[nodiscard]] Index weight_offset(Index k) const { return offsets_[at(k)]; }
  [[nodiscard]] Index bias_offset(Index k) const {
    return weight_offset(k) + output_size(k) * input_size(k);
  }

  /// Checks sizes alone, without the weight count.
  ///
  /// \throws ParamError naming the rule and the sizes given
  static void check_sizes(const std::vector<Index>& layers) {
    bool is_valid = layers.size() >= 2;
    for (const Index size : layers) is_valid = is_valid && size > 0;
    if (!is_valid) {
      throw ParamError("layers must be at least 2 sizes, each > 0; got " +
                       format_list(layers));
    }
    if (layers.size() > static_cast<std::size_t>(kMaxLayers) + 1) {
      throw ParamError("layers must be at most " +
                       std::to_string(kMaxLayers + 1) + " sizes; got " +
                       std::to_string(layers.size()));
    }
    for (const Index size : layers) {
      if (size > kMaxWidth) {
        throw ParamError("layers must be sizes of at most " +
                         std::to_string(kMaxWidth) + "; got " +
                         std::to_string(size));
      }
    }
  }

  friend bool operator==(const Topology& a, const Topology& b) {
    return a.layers_ == b.layers_ && a.loss_ == b.loss_;
  }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  [[noreturn]] void refuse_weight_count() const {
    throw ParamError("layers " + format_list(layers_) + " need more than " +
                     std::to_string(kMaxWeights) +
                     " weights, the most supported; use smaller layers");
  }

  std::vector<Index> layers_;
  std::vector<Index> offsets_;  // [num_layers + 1]
  Loss loss_;
};

}  // namespace mlp
