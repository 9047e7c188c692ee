// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../mlp/model/metrics.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/regression_metrics.hpp"
#include "../flags/backend_choice.hpp"

namespace mlp::cli {

/// Formats the metrics as JSON with Spark's names, and the backend used.
[[nodiscard]] std::string format_metrics_json(const Metrics& metrics,
                                              const Model& model,
                                              const ChosenBackend& backend);

/// Formats the metrics as text: a table by class, and the confusion matrix.
[[nodiscard]] std::string format_metrics_text(const Metrics& metrics,
                                              const Model& model);

/// Formats the metrics of a regressor as JSON with Spark's names.
[[nodiscard]] std::string format_regression_json(
    const RegressionMetrics& metrics, const ChosenBackend& backend);

/// Formats the metrics of a regressor as text.
[[nodiscard]] std::string format_regression_text(
    const RegressionMetrics& metrics);

}  // namespace mlp::cli
