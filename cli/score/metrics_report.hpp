// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

/// Formats the metrics as JSON, those of Spark with its names, and the backend
/// used. The classes have the order of their indices.
[[nodiscard]] std::string format_metrics_json(const ClassifierReport& report,
                                              const Model& model,
                                              const ChosenBackend& backend);

/// Formats the metrics as text: a table by class, and the confusion matrix. The
/// classes have the order of their names, if they have names.
[[nodiscard]] std::string format_metrics_text(const ClassifierReport& report,
                                              const Model& model);

/// Formats the metrics of a regressor as JSON with Spark's names.
[[nodiscard]] std::string format_regression_json(
    const RegressionMetrics& metrics, const ChosenBackend& backend);

/// Formats the metrics of a regressor as text.
[[nodiscard]] std::string format_regression_text(
    const RegressionMetrics& metrics);

}  // namespace mlp::cli
