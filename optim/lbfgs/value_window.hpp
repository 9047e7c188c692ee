// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../convergence_reason.hpp"

/// Stop tests of L-BFGS by the last objective values.
namespace mlp::optim {

/// Tests if SciPy's L-BFGS-B has converged: if no element of the gradient is larger
/// than a tolerance, or if 10 iterations lower the objective by at most 1e7 roundings
/// of max(|f|, |f before|, 1). SciPy tests one iteration only, whose step may be
/// short beside a kink, for example of relu, although the next steps are long.
///
/// \param largest  the largest absolute value of an element of the gradient
/// \param values   of the objective after each iteration
/// \source SciPy optimize/_lbfgsb_py.py, whose default of ftol it uses
[[nodiscard]] inline ConvergenceReason test_as_scipy(
    double largest, double tolerance, const std::vector<double>& values) {
  constexpr double kFtol = 1e7 * std::numeric_limits<double>::epsilon();
  constexpr std::size_t kIterations = 10;
  if (largest <= tolerance) return ConvergenceReason::kGradientConverged;
  if (values.size() <= kIterations) return ConvergenceReason::kNone;
  const double now = values.back();
  const double before = values[values.size() - 1 - kIterations];
  const double size = std::max({std::abs(before), std::abs(now), 1.0});
  return before - now <= kFtol * size
             ? ConvergenceReason::kFunctionValuesConverged
             : ConvergenceReason::kNone;
}

/// The last 20 objective values, used to test if the objective still changes.
///
/// The window starts with the single value +infinity, which stays until 20
/// values are pushed. The test therefore cannot hold before iteration 20, and
/// the objective at the start is never in the window.
///
/// \source Breeze optimize/FirstOrderMinimizer.scala, FunctionValuesConverged
class ValueWindow {
 public:
  /// Appends a value. If the window is full, it replaces the oldest value.
  void push(double value) {
    values_[next_] = value;
    next_ = (next_ + 1) % kSize;
    size_ = std::min(size_ + 1, kSize);
  }

  /// Returns true if at least one value was pushed and the given value is
  /// within tolerance of the largest in the window. NaN in the window gives
  /// false.
  [[nodiscard]] bool is_flat(double value, double tolerance) const {
    if (size_ < 2) return false;
    double largest = values_[0];
    for (std::size_t i = 0; i < size_; ++i) {
      if (std::isnan(values_[i])) return false;
      largest = std::max(largest, values_[i]);
    }
    const double change = value - largest;
    return (change < 0 ? -change : change) <= tolerance;
  }

  /// Writes the values from the oldest to the newest.
  void save(ByteWriter& state) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < size_; ++i) {
      values.push_back(values_[(next_ + kSize - size_ + i) % kSize]);
    }
    state.write_vector(values);
  }

  /// Restores the values that save() wrote.
  ///
  /// \throws ModelError if their number is not 1 to 20
  void restore(ByteReader& state) {
    const auto values = state.read_vector<std::vector<double>>();
    if (values.empty() || values.size() > kSize) {
      state.refuse("the last objective values must be 1 to 20; got " +
                   std::to_string(values.size()));
    }
    size_ = 0;
    next_ = 0;
    for (const double value : values) push(value);
  }

 private:
  static constexpr std::size_t kSize = 20;

  std::array<double, kSize> values_{std::numeric_limits<double>::infinity()};
  std::size_t size_ = 1;
  std::size_t next_ = 1;
};

}  // namespace mlp::optim
