// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../datasets/dataset.hpp"
#include "../../mlp/model/metrics.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/probability_metrics.hpp"
#include "../../mlp/model/regression_metrics.hpp"
#include "../flags/backend_choice.hpp"

namespace mlp::cli {

/// The metrics of a classifier.
struct ClassifierReport {
  Metrics metrics;
  ProbabilityMetrics probabilities;
};

/// Measures a classifier on labelled instances.
[[nodiscard]] ClassifierReport measure_classifier(const Model& model,
                                                  const datasets::Dataset& data,
                                                  const Backend& backend,
                                                  int num_threads);

/// Formats the metrics and the backend as JSON. Metrics of Spark have its names. The classes have the order of their indices.
[[nodiscard]] std::string format_metrics_json(const ClassifierReport& report,
                                              const Model& model,
                                              const ChosenBackend& backend);

/// Formats the metrics as text: a table by class, and the confusion matrix. The
/// classes have the order of their names, if they have names.
[[nodiscard]] std::string format_metrics_text(const ClassifierReport& report,
                                              const Model& model);

/// The metrics of a regressor.
struct RegressorReport {
  std::vector<std::string> names;            ///< of the targets
  std::vector<RegressionMetrics> by_target;  ///< at least one
};

/// Measures a regressor on labelled instances.
[[nodiscard]] RegressorReport measure_regressor(const Model& model,
                                                const datasets::Dataset& data,
                                                const Backend& backend,
                                                int num_threads);

/// Formats the metrics of a regressor as JSON with Spark's names. If it predicts
/// several numbers, the metrics are means, and lists have the metrics of each number.
[[nodiscard]] std::string format_regression_json(const RegressorReport& report,
                                                 const ChosenBackend& backend);

/// Formats the metrics of a regressor as text, for several numbers as a table.
[[nodiscard]] std::string format_regression_text(const RegressorReport& report);

}  // namespace mlp::cli
