// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../mlp/model/coverage.hpp"

/// Numbers in texts as the program prints them, metrics without NaN.
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

/// Prints a number with a format of printf.
[[nodiscard]] inline std::string print_number(const char* format,
                                              double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

[[nodiscard]] inline std::string four_digits(double number) {
  return print_number("%.4f", number);
}

[[nodiscard]] inline std::string six_digits(double number) {
  return print_number("%.6g", number);
}

/// Describes how prediction intervals or sets cover labels: "0.9050 with intervals for
/// 0.9, mean width 182.3".
///
/// \param asked  the coverage that was asked for
[[nodiscard]] inline std::string describe_coverage(const Coverage& coverage,
                                                   double asked,
                                                   bool is_regressor) {
  return four_digits(coverage.share) + " with " +
         (is_regressor ? "intervals for " : "sets for ") +
         format_double(asked) +
         print_number(is_regressor ? ", mean width %.4g" : ", mean size %.3g",
                      coverage.mean_size);
}

}  // namespace mlp::cli
