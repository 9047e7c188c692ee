// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../activations/activation.hpp"
#include "../../core/names.hpp"
#include "../../core/types.hpp"
#include "params.hpp"

/// The formats that a model can be converted to, and what each of them can express.
namespace mlp {

enum class ExportFormat {
  kSpark,  ///< the folder of Spark's MultilayerPerceptronClassificationModel
  kOnnx    ///< a graph of ONNX
};

inline constexpr auto kExportFormatNames = std::to_array<Named<ExportFormat>>({
    {ExportFormat::kSpark, "spark"},
    {ExportFormat::kOnnx, "onnx"},
});

/// What decides in which formats a model can be written.
struct ExportFacts {
  bool is_regressor = false;

  /// The model makes features of categories or missing values of a data file.
  bool has_columns = false;

  /// The names of the hidden layers' activations.
  std::vector<std::string> activations;

  bool is_residual = false;

  /// The model encodes numbers in quantile bins.
  bool has_quantiles = false;
  Index num_weights = 0;  ///< 0 if the layers are not known yet
};

/// Returns what decides of a model that is trained with hyper-parameters.
///
/// \param has_columns  see ExportFacts
[[nodiscard]] inline ExportFacts export_facts(const Params& params,
                                              bool has_columns) {
  ExportFacts facts;
  facts.is_regressor = params.task == Task::kRegression;
  facts.has_columns = has_columns;
  facts.has_quantiles = params.numeric_encoding.is_quantile();
  const bool has_hidden = params.layers.empty() || params.layers.size() > 2;
  facts.is_residual = has_hidden && params.residual;
  for (const Activation& activation : params.activation) {
    if (has_hidden) facts.activations.emplace_back(activation.name());
  }
  for (std::size_t i = 1; i < params.layers.size(); ++i) {
    facts.num_weights += (params.layers[i - 1] + 1) * params.layers[i];
  }
  return facts;
}

/// Something that a format cannot express.
struct ExportProblem {
  /// Spark's name of the hyper-parameter that causes it; "columns" if none does.
  std::string_view parameter;

  /// What the format has instead, after its name: "needs sigmoid".
  std::string_view need;

  /// With what a training makes a model without the problem: "activation sigmoid"; empty if
  /// there is no such model of the same labels.
  std::string_view remedy;

  /// Why a model cannot be written: "it predicts numbers, ...".
  std::string reason;

  /// Returns true if the program's --for chooses the remedy: the data may stay as they are.
  [[nodiscard]] bool is_avoidable() const {
    return parameter == "activation" || parameter == "residual" ||
           parameter == "numericEncoding";
  }
};

namespace detail {

/// What a format cannot express; the reason of a model is empty if it has none of
/// it.
struct ExportRule {
  ExportFormat format;
  std::string_view parameter;
  std::string_view need;
  std::string_view remedy;
  std::string (*reason)(const ExportFacts& facts);
};

inline std::string columns_reason(const ExportFacts& facts) {
  return facts.has_columns ? "it encodes columns of its data file" : "";
}

inline std::string activation_reason(const ExportFacts& facts) {
  std::vector<std::string> others = facts.activations;
  std::erase(others, "sigmoid");
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::string names;
  for (const std::string& name : others) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "" : "its hidden layers have the activation " + names;
}

/// Protobuf's limit for a file of ONNX, less the names and the graph.
inline constexpr Index kMaxOnnxBytes = (Index{1} << 31) - (Index{1} << 20);

inline std::string size_reason(const ExportFacts& facts) {
  const Index num_bytes =
      facts.num_weights * static_cast<Index>(sizeof(double));
  if (num_bytes <= kMaxOnnxBytes) return "";
  return "its weights have " + std::to_string(num_bytes) +
         " bytes, and a file has at most 2 GB";
}

inline constexpr std::string_view kNeedsNumbers =
    "needs features that are numbers without missing ones";
inline constexpr std::string_view kOnNumbers =
    "features that are numbers without missing ones";

/// The table. The writers of Python obey it.
inline const auto kExportRules = std::to_array<ExportRule>({
    {ExportFormat::kSpark, "task", "needs classification", "",
     [](const ExportFacts& facts) {
       return std::string(
           facts.is_regressor
               ? "it predicts numbers, and Spark's model predicts classes"
               : "");
     }},
    {ExportFormat::kSpark, "columns", kNeedsNumbers, kOnNumbers,
     columns_reason},
    {ExportFormat::kSpark, "activation", "needs sigmoid", "activation sigmoid",
     activation_reason},
    {ExportFormat::kSpark, "residual", "has no residual connections",
     "no residual connections",
     [](const ExportFacts& facts) {
       return std::string(facts.is_residual ? "it has residual connections"
                                            : "");
     }},
    {ExportFormat::kSpark, "numericEncoding", "needs numericEncoding linear",
     "numericEncoding linear",
     [](const ExportFacts& facts) {
       return std::string(
           facts.has_quantiles ? "it encodes numbers in quantile bins" : "");
     }},
    {ExportFormat::kOnnx, "columns", kNeedsNumbers, kOnNumbers, columns_reason},
    {ExportFormat::kOnnx, "layers", "needs at most 2 GB of weights",
     "fewer weights", size_reason},
});

}  // namespace detail

/// Returns the first thing that a format cannot express of a model, or nothing if it
/// can express the model. A scaler, batch normalisation, dropout, the solver and the
/// penalties are no problem: they become weights, or do not matter to a trained model.
[[nodiscard]] inline std::optional<ExportProblem> find_export_problem(
    ExportFormat format, const ExportFacts& facts) {
  for (const detail::ExportRule& rule : detail::kExportRules) {
    if (rule.format != format) continue;
    std::string reason = rule.reason(facts);
    if (reason.empty()) continue;
    return ExportProblem{rule.parameter, rule.need, rule.remedy,
                         std::move(reason)};
  }
  return std::nullopt;
}

}  // namespace mlp
