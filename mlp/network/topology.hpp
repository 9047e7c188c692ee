// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../activations/activation.hpp"
#include "../../core/error.hpp"
#include "../../core/interval.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "loss.hpp"

namespace mlp {

/// What a hidden layer computes from its input x. Spark's is the default.
///
///     y = skip(x) + dropout(f(batch_norm(W x + b)))
///
/// Batch normalisation and dropout change nothing if they are off. skip(x) is 0
/// without a residual connection; with one it is x, or P x if the sizes differ.
///
/// \source He et al. 2016, Deep Residual Learning, 3.2 (the connection and its
///         projection); batch_norm.hpp; dropout.hpp
struct HiddenLayer {
  Activation activation;  ///< f
  bool is_residual = false;
  bool has_batch_norm = false;
  double dropout = 0.0;  ///< share of the units left out in training, in [0, 1)

  friend bool operator==(const HiddenLayer&, const HiddenLayer&) = default;
};

/// The layer sizes of a network and the positions of the weights of each layer.
///
/// Layer k = 0 .. num_layers() - 1 is affine; each but the last is a
/// HiddenLayer. The optimiser sees one flat vector in Spark's order: layer by
/// layer, first the weights W [output_size x input_size], column-major, then the
/// biases [output_size]. If the layer has them, these follow: the projection P of a residual connection [output_size x
/// input_size], then the scales and the shifts of batch normalisation
/// [output_size each].
///
/// \source Spark ml/ann/Layer.scala, FeedForwardTopology.multiLayerPerceptron
class Topology {
 public:
  static constexpr Index kMaxLayers = 256;
  static constexpr Index kMaxWidth = Index{1} << 20;
  static constexpr Index kMaxWeights = (Index{1} << 31) - 1;

  /// Complete "layers must be ..." and "dropout must be ...".
  static constexpr std::string_view kSizesRule = "at least 2 sizes, each > 0";
  static constexpr Interval kDropoutRates = at_least(0).and_below(1);

  /// \param layers  sizes from input to output   [num_layers + 1]
  /// \param hidden  the hidden layers [num_layers - 1], or empty for Spark's
  /// \throws ParamError for fewer than 2 or more than kMaxLayers + 1 sizes, a
  ///         size outside 1 .. kMaxWidth, more than kMaxWeights weights, or a
  ///         wrong number of hidden layers
  explicit Topology(std::vector<Index> layers, LossFunction loss_function = {},
                    std::vector<HiddenLayer> hidden = {})
      : layers_(std::move(layers)),
        hidden_(std::move(hidden)),
        loss_function_(loss_function) {
    check_sizes(layers_);
    if (hidden_.empty()) hidden_.resize(at(num_layers() - 1));
    check_hidden();
    for (Index k = 0; k < num_layers(); ++k) {
      offsets_.push_back(num_weights_);
      statistic_offsets_.push_back(num_statistics_);
      num_weights_ = shift_offset(k) + (has_batch_norm(k) ? output_size(k) : 0);
      num_statistics_ += has_batch_norm(k) ? 2 * output_size(k) : 0;
      if (num_weights_ > kMaxWeights) refuse_weight_count();
    }
  }

  [[nodiscard]] const std::vector<Index>& layers() const { return layers_; }
  [[nodiscard]] Loss loss() const { return loss_function_.kind; }
  [[nodiscard]] const LossFunction& loss_function() const {
    return loss_function_;
  }
  [[nodiscard]] const std::vector<HiddenLayer>& hidden_layers() const {
    return hidden_;
  }

  /// Returns the number of affine layers.
  [[nodiscard]] Index num_layers() const {
    return static_cast<Index>(layers_.size()) - 1;
  }

  [[nodiscard]] Index num_features() const { return layers_.front(); }
  [[nodiscard]] Index num_classes() const { return layers_.back(); }
  [[nodiscard]] Index num_weights() const { return num_weights_; }

  /// Returns the number of running means and variances of batch normalisation.
  /// They are not weights, because the optimiser does not change them.
  [[nodiscard]] Index num_statistics() const { return num_statistics_; }

  [[nodiscard]] Index input_size(Index k) const { return layers_[at(k)]; }
  [[nodiscard]] Index output_size(Index k) const { return layers_[at(k) + 1]; }

  /// Returns the offset of W of layer k.
  [[nodiscard]] Index weight_offset(Index k) const { return offsets_[at(k)]; }
  [[nodiscard]] Index bias_offset(Index k) const {
    return weight_offset(k) + output_size(k) * input_size(k);
  }

  /// Returns the offset of the projection of layer k, if it has one.
  [[nodiscard]] Index projection_offset(Index k) const {
    return bias_offset(k) + output_size(k);
  }

  /// Returns the offset of the scales of batch normalisation, if any.
  [[nodiscard]] Index scale_offset(Index k) const {
    return projection_offset(k) +
           (has_projection(k) ? output_size(k) * input_size(k) : 0);
  }
  [[nodiscard]] Index shift_offset(Index k) const {
    return scale_offset(k) + (has_batch_norm(k) ? output_size(k) : 0);
  }

  /// Returns the offset after the last weight of layer k.
  [[nodiscard]] Index layer_end(Index k) const {
    return k + 1 < num_layers() ? offsets_[at(k) + 1] : num_weights_;
  }

  /// Returns the offset of the running means of layer k; the variances follow.
  [[nodiscard]] Index statistic_offset(Index k) const {
    return statistic_offsets_[at(k)];
  }

  [[nodiscard]] bool is_hidden(Index k) const { return k + 1 < num_layers(); }

  /// \pre is_hidden(k)
  [[nodiscard]] const HiddenLayer& hidden(Index k) const {
    return hidden_[at(k)];
  }
  [[nodiscard]] bool is_residual(Index k) const {
    return is_hidden(k) && hidden(k).is_residual;
  }
  [[nodiscard]] bool has_projection(Index k) const {
    return is_residual(k) && input_size(k) != output_size(k);
  }
  [[nodiscard]] bool has_batch_norm(Index k) const {
    return is_hidden(k) && hidden(k).has_batch_norm;
  }

  /// Returns true if Spark supports the network: every hidden layer is affine
  /// with a sigmoid and nothing else, and the loss is one of Spark's.
  [[nodiscard]] bool is_spark() const {
    return loss_function_.is_spark() && has_hidden(HiddenLayer{});
  }

  /// Returns true if every hidden layer is equal to the given one.
  [[nodiscard]] bool has_hidden(const HiddenLayer& layer) const {
    return std::all_of(hidden_.begin(), hidden_.end(),
                       [&](const HiddenLayer& h) { return h == layer; });
  }

  /// Returns true if a layer has batch normalisation or dropout, which compute
  /// differently in training and in scoring.
  [[nodiscard]] bool has_training_mode() const {
    return std::any_of(hidden_.begin(), hidden_.end(),
                       [](const HiddenLayer& h) {
                         return h.has_batch_norm || h.dropout > 0.0;
                       });
  }

  /// Returns true if the numbers are as kSizesRule says.
  [[nodiscard]] static bool are_sizes(const std::vector<Index>& layers) {
    return layers.size() >= 2 &&
           std::all_of(layers.begin(), layers.end(),
                       [](Index size) { return size > 0; });
  }

  /// Checks the sizes but not the number of weights.
  ///
  /// \throws ParamError naming the rule and the sizes given
  static void check_sizes(const std::vector<Index>& layers) {
    if (!are_sizes(layers)) {
      throw ParamError("layers", std::string("must be ")
                                     .append(kSizesRule)
                                     .append("; got " + format_list(layers)));
    }
    if (layers.size() > static_cast<std::size_t>(kMaxLayers) + 1) {
      throw ParamError("layers",
                       "must be at most " + std::to_string(kMaxLayers + 1) +
                           " sizes; got " + std::to_string(layers.size()));
    }
    for (const Index size : layers) {
      if (size > kMaxWidth) {
        throw ParamError("layers", "must be sizes of at most " +
                                       std::to_string(kMaxWidth) + "; got " +
                                       std::to_string(size));
      }
    }
  }

  friend bool operator==(const Topology& a, const Topology& b) {
    return a.layers_ == b.layers_ && a.loss_function_ == b.loss_function_ &&
           a.hidden_ == b.hidden_;
  }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  [[noreturn]] void refuse_weight_count() const {
    throw ParamError("layers",
                     format_list(layers_) + " need more than " +
                         std::to_string(kMaxWeights) +
                         " weights, the most supported; use smaller layers");
  }

  void check_hidden() const {
    if (static_cast<Index>(hidden_.size()) != num_layers() - 1) {
      throw ParamError("layers", format_list(layers_) + " have " +
                                     std::to_string(num_layers() - 1) +
                                     " hidden layers; got settings for " +
                                     std::to_string(hidden_.size()));
    }
    for (const HiddenLayer& layer : hidden_) {
      if (kDropoutRates.contains(layer.dropout)) continue;
      throw ParamError(
          "dropout",
          std::string("must be ")
              .append(describe_interval("a number", kDropoutRates).view())
              .append("; got " + format_double(layer.dropout)));
    }
  }

  std::vector<Index> layers_;
  std::vector<HiddenLayer> hidden_;       // [num_layers - 1]
  std::vector<Index> offsets_;            // [num_layers]
  std::vector<Index> statistic_offsets_;  // [num_layers]
  Index num_weights_ = 0;
  Index num_statistics_ = 0;
  LossFunction loss_function_;
};

}  // namespace mlp
