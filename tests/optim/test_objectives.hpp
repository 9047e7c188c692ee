// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../../optim/iteration_callback.hpp"

namespace mlp::optim::testing {

/// f(x) = constant + sum of curvature x^2 / 2.
struct Quadratic {
  Vector curvature;  ///< [num_weights]
  double constant = 0.0;

  double value_and_gradient(const Vector& x, Vector& gradient) const {
    gradient = curvature.cwiseProduct(x);
    return constant + 0.5 * gradient.dot(x);
  }
};

/// f(x, y) = (1 - x)^2 + 100 (y - x^2)^2, with its minimum 0 at (1, 1).
struct Rosenbrock {
  double value_and_gradient(const Vector& x, Vector& gradient) const {
    const double rest = x[1] - x[0] * x[0];
    gradient.resize(2);
    gradient[0] = -2.0 * (1.0 - x[0]) - 400.0 * x[0] * rest;
    gradient[1] = 200.0 * rest;
    return (1.0 - x[0]) * (1.0 - x[0]) + 100.0 * rest * rest;
  }
};

/// f(x) = slope x in one dimension: no minimum.
struct Line {
  double slope = -1.0;

  double value_and_gradient(const Vector& x, Vector& gradient) const {
    gradient = Vector::Constant(1, slope);
    return slope * x[0];
  }
};

/// Keeps each point, value and gradient of another objective, and lets a test
/// change what it answers.
template <typename F>
struct Observed {
  using Change = std::function<void(double& value, Vector& gradient)>;

  explicit Observed(F observed, Change apply = {})
      : function(std::move(observed)), change(std::move(apply)) {}

  double value_and_gradient(const Vector& x, Vector& gradient) {
    double value = function.value_and_gradient(x, gradient);
    if (change) change(value, gradient);
    points.push_back(x);
    gradients.push_back(gradient);
    return value;
  }

  F function;
  Change change;
  std::vector<Vector> points;     ///< as evaluated, in order
  std::vector<Vector> gradients;  ///< as answered, in order
};

/// Answers NaN so many times, after so many true answers.
struct Outage {
  int delay = 0;
  int left = 0;

  void operator()(double& value, Vector&) {
    if (delay > 0) {
      --delay;
    } else if (left > 0) {
      --left;
      value = std::numeric_limits<double>::quiet_NaN();
    }
  }
};

/// What a callback saw of each state.
struct Seen {
  std::vector<Vector> points;
  std::vector<Iteration> iterations;

  IterationCallback watch() {
    return [this](const Iteration& iteration) {
      points.push_back(iteration.x);
      iterations.push_back(iteration);
      return true;
    };
  }
};

}  // namespace mlp::optim::testing
