// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

/// Metrics as the program prints them, without NaN.
namespace mlp::cli {

/// Returns a metric, or 0 if it has no value: Spark's metrics are then NaN or
/// infinite.
[[nodiscard]] inline double defined_or_zero(double metric) {
  return std::isfinite(metric) ? metric : 0.0;
}

[[nodiscard]] inline std::vector<double> defined_or_zero(
    std::vector<double> metrics) {
  for (double& metric : metrics) metric = defined_or_zero(metric);
  return metrics;
}

}  // namespace mlp::cli
