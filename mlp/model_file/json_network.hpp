// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file that describe the network.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/types.hpp"
#include "../network/loss.hpp"
#include "../network/topology.hpp"
#include "../params/param_rules.hpp"
#include "../params/param_values.hpp"
#include "json_members.hpp"

namespace mlp::detail {

/// Returns the name of the activation of all hidden layers, or one for each,
/// separated by commas.
inline std::string activation_names(const Topology& topology) {
  Params params;
  take_network(topology, params);
  return params.activation.empty() ? std::string(Activation().name())
                                   : list_activations(params.activation);
}

/// Returns true if the weights are in Spark's order: each layer's matrix, then
/// its biases.
inline std::string_view layout_name(const Topology& topology) {
  Index num_weights = 0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    num_weights += topology.output_size(k) * (topology.input_size(k) + 1);
  }
  return num_weights == topology.num_weights() ? kSparkLayout : kWeightsLayout;
}

/// Makes the network that a file describes, or throws an error that describes
/// what is wrong.
class NetworkBuilder {
 public:
  /// \param parsed  must outlive this object
  NetworkBuilder(const ParsedModel& parsed, const std::string& file)
      : parsed_(parsed), file_(file) {}

  [[nodiscard]] Topology build() const {
    const std::size_t num_sizes = parsed_.layers.size();
    constexpr std::size_t kMaxSizes = Topology::kMaxLayers + 1;
    if (num_sizes < 2 || num_sizes > kMaxSizes) {
      refuse("$.layers", "must be 2 to " + std::to_string(kMaxSizes) +
                             " sizes; got " + std::to_string(num_sizes));
    }
    for (std::size_t i = 0; i < num_sizes; ++i) {
      const std::int64_t size = parsed_.layers[i];
      if (size >= 1 && size <= Topology::kMaxWidth) continue;
      refuse("$.layers[" + std::to_string(i) + ']',
             "must be an integer from 1 to " +
                 std::to_string(Topology::kMaxWidth) + "; got " +
                 std::to_string(size));
    }
    try {
      return Topology({parsed_.layers.begin(), parsed_.layers.end()},
                      find_loss(), make_hidden());
    } catch (const ParamError& error) {
      const bool is_dropout = error.parameter() == "dropout";
      refuse(is_dropout ? "$.network.dropout" : "$.layers", error.what());
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& path,
                           const std::string& sentence) const {
    throw ModelError(file_, path, sentence);
  }

  /// Turns a list of layers, counted from 1, into a flag of the hidden layers.
  void set_part(std::vector<HiddenLayer>& hidden, const std::string& name,
                const std::vector<std::int64_t>& numbers,
                bool HiddenLayer::*part) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool is_layer =
          numbers[i] >= 1 && numbers[i] <= static_cast<Index>(hidden.size()) &&
          !(hidden[static_cast<std::size_t>(numbers[i] - 1)].*part);
      if (!is_layer) {
        refuse("$.network." + name + '[' + std::to_string(i) + ']',
               "must be a hidden layer from 1 to " +
                   std::to_string(hidden.size()) + ", each once; got " +
                   std::to_string(numbers[i]));
      }
      hidden[static_cast<std::size_t>(numbers[i] - 1)].*part = true;
    }
  }

  [[nodiscard]] LossFunction find_loss() const {
    if (!parsed_.network) {
      return {Loss::kSoftmaxNll, parsed_.params.label_smoothing};
    }
    const auto loss = find_named(kLossNames, parsed_.network->loss);
    if (!loss) {
      refuse("$.network.loss",
             std::string("must be ")
                 .append(kChoices<kNamesOf<kLossNames>>)
                 .append("; got " + shown_json_string(parsed_.network->loss)));
    }
    return {*loss, has_classes(*loss) ? parsed_.params.label_smoothing : 0.0};
  }

  [[nodiscard]] std::vector<HiddenLayer> make_hidden() const {
    std::vector<HiddenLayer> hidden(parsed_.layers.size() - 2);
    Params params;
    const bool is_known = parse_activation(params, parsed_.activation) &&
                          (params.activation.size() == 1 ||
                           params.activation.size() == hidden.size());
    if (!is_known) {
      refuse("$.activation",
             "must name the activation of all hidden layers, or one for each, "
             "separated by commas; got " +
                 shown_json_string(parsed_.activation));
    }
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      hidden[i].activation = item_of(params.activation, i, {});
    }
    if (!parsed_.network) return hidden;
    const ParsedNetwork& network = *parsed_.network;
    set_part(hidden, "residual", network.residual, &HiddenLayer::is_residual);
    set_part(hidden, "batchNorm", network.batch_norm,
             &HiddenLayer::has_batch_norm);
    if (!network.dropout.empty() && network.dropout.size() != hidden.size()) {
      refuse("$.network.dropout", "must be " + std::to_string(hidden.size()) +
                                      " numbers, one per hidden layer; got " +
                                      std::to_string(network.dropout.size()));
    }
    for (std::size_t i = 0; i < network.dropout.size(); ++i) {
      hidden[i].dropout = network.dropout[i];
    }
    return hidden;
  }

  const ParsedModel& parsed_;
  std::string file_;
};

}  // namespace mlp::detail
