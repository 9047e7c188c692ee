// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file that describe the network.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
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
#include "json_sax.hpp"
#include "value_check.hpp"

namespace mlp::detail {

/// Returns the name of the activation of all hidden layers, or one for each,
/// separated by commas.
inline std::string activation_names(const Topology& topology) {
  Params params;
  take_network(topology, params);
  return params.activation.empty() ? std::string(Activation().name())
                                   : list_activations(params.activation);
}

/// Returns Spark's layout if the weights are in Spark's order: each layer's matrix,
/// then its biases.
inline std::string_view layout_name(const Topology& topology) {
  Index num_weights = 0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    num_weights += topology.output_size(k) * (topology.input_size(k) + 1);
  }
  return num_weights == topology.num_weights() ? kSparkLayout : kWeightsLayout;
}

/// Makes the network that a file describes, or throws an error that describes
/// what is wrong.
class NetworkBuilder : private ValueCheck {
 public:
  /// \param parsed  must outlive this object
  NetworkBuilder(const ParsedModel& parsed, const std::string& file)
      : ValueCheck(file),
        root_(parsed.root),
        label_smoothing_(parsed.params.label_smoothing),
        layers_(root_.at("layers").get<std::vector<Index>>()) {}

  [[nodiscard]] Topology build() const {
    const std::size_t num_sizes = layers_.size();
    constexpr std::size_t kMaxSizes = Topology::kMaxLayers + 1;
    require(num_sizes >= 2 && num_sizes <= kMaxSizes, "$.layers",
            "2 to " + std::to_string(kMaxSizes) + " sizes",
            std::to_string(num_sizes));
    for (std::size_t i = 0; i < num_sizes; ++i) {
      const std::int64_t size = layers_[i];
      require(size >= 1 && size <= Topology::kMaxWidth,
              item_path("$.layers", i),
              "an integer from 1 to " + std::to_string(Topology::kMaxWidth),
              std::to_string(size));
    }
    try {
      return Topology(layers_, find_loss(), make_hidden());
    } catch (const ParamError& error) {
      const bool is_dropout = error.parameter() == "dropout";
      refuse(is_dropout ? "$.network.dropout" : "$.layers", error.what());
    }
  }

 private:
  /// Turns a list of layers, counted from 1, into a flag of the hidden layers.
  void set_part(std::vector<HiddenLayer>& hidden, const std::string& name,
                bool HiddenLayer::*part) const {
    const auto numbers = root_.at("network").value(name, std::vector<Index>{});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool is_layer =
          numbers[i] >= 1 && numbers[i] <= static_cast<Index>(hidden.size()) &&
          !(hidden[static_cast<std::size_t>(numbers[i] - 1)].*part);
      require(is_layer, item_path("$.network." + name, i),
              "a hidden layer from 1 to " + std::to_string(hidden.size()) +
                  ", each once",
              std::to_string(numbers[i]));
      hidden[static_cast<std::size_t>(numbers[i] - 1)].*part = true;
    }
  }

  [[nodiscard]] LossFunction find_loss() const {
    if (!root_.contains("network")) {
      return {Loss::kSoftmaxNll, label_smoothing_};
    }
    const auto name = root_.at("network").at("loss").get<std::string>();
    const auto loss = find_named(kLossNames, name);
    require(loss.has_value(), "$.network.loss",
            std::string(kChoices<kNamesOf<kLossNames>>),
            shown_json_string(name));
    return {*loss, has_classes(*loss) ? label_smoothing_ : 0.0};
  }

  [[nodiscard]] std::vector<HiddenLayer> make_hidden() const {
    std::vector<HiddenLayer> hidden(layers_.size() - 2);
    const auto names = root_.at("activation").get<std::string>();
    Params params;
    const bool is_known = parse_activation(params, names) &&
                          (params.activation.size() == 1 ||
                           params.activation.size() == hidden.size());
    if (!is_known) {
      refuse("$.activation",
             "must name the activation of all hidden layers, or one for each, "
             "separated by commas; got " +
                 shown_json_string(names));
    }
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      hidden[i].activation = item_of(params.activation, i, {});
    }
    if (!root_.contains("network")) return hidden;
    set_part(hidden, "residual", &HiddenLayer::is_residual);
    set_part(hidden, "batchNorm", &HiddenLayer::has_batch_norm);
    const auto dropout =
        root_.at("network").value("dropout", std::vector<double>{});
    require(dropout.empty() || dropout.size() == hidden.size(),
            "$.network.dropout",
            std::to_string(hidden.size()) + " numbers, one per hidden layer",
            std::to_string(dropout.size()));
    for (std::size_t i = 0; i < dropout.size(); ++i) {
      hidden[i].dropout = dropout[i];
    }
    return hidden;
  }

  const nlohmann::json& root_;
  double label_smoothing_;
  std::vector<Index> layers_;
};

}  // namespace mlp::detail
