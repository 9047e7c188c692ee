// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../mlp/metrics.hpp"
#include "../mlp/model.hpp"

namespace mlp::cli {

/// The metrics for scripts, by Spark's names.
[[nodiscard]] std::string format_metrics_json(const Metrics& metrics,
                                              const Model& model);

/// The metrics for people: a table by class, and the confusion matrix.
[[nodiscard]] std::string format_metrics_text(const Metrics& metrics,
                                              const Model& model);

}  // namespace mlp::cli
