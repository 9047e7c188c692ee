// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file that describe the encoding of numbers.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/quantile_encoder.hpp"
#include "../params/numeric_encoding.hpp"
#include "value_check.hpp"

namespace mlp::detail {

/// Makes the encoder that a file describes, or throws an error that describes what
/// is wrong.
class EncoderBuilder : private ValueCheck {
 public:
  /// \param root  the document; must outlive this object
  EncoderBuilder(const nlohmann::json& root, const std::string& file)
      : ValueCheck(file), root_(root), input_(root.at("input")) {}

  /// \param num_inputs  of the network
  /// \return nothing if the file has no encoding
  [[nodiscard]] std::optional<datasets::QuantileEncoder> build(
      Index num_inputs) const {
    const bool has_text = input_.contains("numericEncoding");
    if (has_text != input_.contains("bins")) {
      refuse("$.input",
             "must have both numericEncoding and bins, or none; got one of "
             "them");
    }
    if (!has_text) return std::nullopt;
    const Index num_bins = find_num_bins();
    std::vector<datasets::QuantileEncoder::Edges> edges(
        count_features(num_inputs));
    std::size_t next = 0;  // features are in their order
    const nlohmann::json& bins = input_.at("bins");
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const std::string path = item_path(kBins, i);
      const auto feature = bins[i].at("feature").get<Index>();
      const bool is_next = feature >= static_cast<Index>(next) &&
                           feature < static_cast<Index>(edges.size());
      require(is_next, path + ".feature",
              "the index of a feature, from " + std::to_string(next) + " to " +
                  std::to_string(edges.size() - 1) + ", each once in order",
              std::to_string(feature));
      next = static_cast<std::size_t>(feature);
      edges[next] = bins[i].at("edges").get<std::vector<double>>();
      check_edges(path + ".edges", edges[next], num_bins);
      ++next;
    }
    return datasets::QuantileEncoder(num_bins, std::move(edges));
  }

 private:
  static constexpr const char* kBins = "$.input.bins";

  [[nodiscard]] Index find_num_bins() const {
    const auto text = input_.at("numericEncoding").get<std::string>();
    const auto encoding = parse_numeric_encoding(text);
    const bool is_written = encoding && encoding->is_quantile() &&
                            format_numeric_encoding(*encoding) == text;
    require(
        is_written, "$.input.numericEncoding",
        "quantile:BINS with BINS " + std::string(detail::kNumBinsText.view()),
        shown_json_string(text));
    return encoding->num_bins;
  }

  /// Returns the number of features: the inputs of the network less the bins.
  [[nodiscard]] std::size_t count_features(Index num_inputs) const {
    std::size_t num_bins = 0;
    for (const nlohmann::json& bins : input_.at("bins")) {
      const std::size_t num_edges = bins.at("edges").size();
      num_bins += num_edges == 0 ? 0 : num_edges - 1;
    }
    const auto most = static_cast<std::size_t>(num_inputs - 1);
    require(num_bins <= most, kBins,
            "at most " + std::to_string(most) + " bins for layers " +
                format_list(root_.at("layers").get<std::vector<Index>>()) +
                ", which begin with the number of features and bins",
            std::to_string(num_bins));
    return most + 1 - num_bins;
  }

  void check_edges(const std::string& path,
                   const datasets::QuantileEncoder::Edges& edges,
                   Index num_bins) const {
    const auto size = static_cast<Index>(edges.size());
    require(size >= 2 && size <= num_bins + 1, path,
            "2 to " + std::to_string(num_bins + 1) + " numbers",
            std::to_string(size));
    const auto problem = datasets::detail::find_edge_problem(edges);
    if (problem) {
      refuse(item_path(path, problem->first), "must be " + problem->second);
    }
  }

  const nlohmann::json& root_;
  const nlohmann::json& input_;
};

}  // namespace mlp::detail
