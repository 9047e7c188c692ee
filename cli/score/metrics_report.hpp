// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../mlp/model/metrics.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/regression_metrics.hpp"
#include "../flags/backend_choice.hpp"

namespace mlp::cli {

/// The metrics for scripts, by Spark's names, and who computed them.
[[nodiscard]] std::string format_metrics_json(const Metrics& metrics,
                                              const Model& model,
                                              const ChosenBackend& backend);

/// The metrics for people: a table by class, and the confusion matrix.
[[nodiscard]] std::string format_metrics_text(const Metrics& metrics,
                                              const Model& model);

/// A regressor's metrics for scripts, by Spark's names.
[[nodiscard]] std::string format_regression_json(
    const RegressionMetrics& metrics, const ChosenBackend& backend);

/// A regressor's metrics for people.
[[nodiscard]] std::string format_regression_text(
    const RegressionMetrics& metrics);

}  // namespace mlp::cli
