// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../mlp/metrics.hpp"
#include "../mlp/model.hpp"
#include "../mlp/regression_metrics.hpp"
#include "engine.hpp"

namespace mlp::cli {

/// The metrics for scripts, by Spark's names, and who computed them.
[[nodiscard]] std::string format_metrics_json(const Metrics& metrics,
                                              const Model& model,
                                              const Engine& engine);

/// The metrics for people: a table by class, and the confusion matrix.
[[nodiscard]] std::string format_metrics_text(const Metrics& metrics,
                                              const Model& model);

/// A regressor's metrics for scripts, by Spark's names.
[[nodiscard]] std::string format_regression_json(
    const RegressionMetrics& metrics, const Engine& engine);

/// A regressor's metrics for people.
[[nodiscard]] std::string format_regression_text(
    const RegressionMetrics& metrics);

}  // namespace mlp::cli
