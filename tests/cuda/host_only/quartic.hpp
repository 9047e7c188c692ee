// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../../../cuda/runtime/device_code.hpp"
#include "../../../cuda/runtime/launch.hpp"
#include "../../../cuda/solvers/full_evaluation.hpp"
#include "../../../cuda/steps/vector_sums.hpp"
#include "../solvers/host_objective.hpp"

namespace mlp::testing {

inline constexpr Index kQuarticSize = 1500;

/// factor times element i of the gradient, and of what gives the value as a product
/// with x.
inline void slope_kernel(Index size, double factor, const double* x,
                         double* slopes, double* gradient) {
  for (Index i = cuda::first_element(); i < size; i += cuda::element_stride()) {
    const double curvature = 1.0 + static_cast<double>(i % 50);
    slopes[i] = factor * (0.5 * curvature * x[i] + 0.25 * x[i] * x[i] * x[i]);
    gradient[i] = factor * (curvature * x[i] + x[i] * x[i] * x[i]);
  }
}

/// f(x) = factor times the sum of curvature x^2 / 2 + x^4 / 4, by kernels.
class Quartic final : public cuda::DeviceObjective {
 public:
  /// \param num_evaluations  how often an evaluation was added
  Quartic(const cuda::Stream& stream, bool is_capturable, int& num_evaluations,
          double factor = 1.0)
      : stream_(stream),
        is_capturable_(is_capturable),
        num_evaluations_(num_evaluations),
        factor_(factor),
        slopes_(kQuarticSize),
        partials_(2 * cuda::num_partials(kQuarticSize)),
        sums_(2) {}

  [[nodiscard]] bool is_capturable() const override { return is_capturable_; }

  void add_evaluation(const double* weights, double* value, double* gradient,
                      const cuda::LayerEnqueued&) override {
    ++num_evaluations_;
    cuda::launch(slope_kernel, cuda::striding_grid(kQuarticSize), stream_.get(),
                 kQuarticSize, factor_, weights, slopes_.data(), gradient);
    cuda::compute_dot_products(slopes_.data(), weights, kQuarticSize,
                               partials_.data(), sums_.data(), stream_.get());
    cuda::copy_on_device(sums_.data(), 1, value, stream_);
  }

 private:
  const cuda::Stream& stream_;
  bool is_capturable_;
  int& num_evaluations_;
  double factor_;
  cuda::DeviceArray<double> slopes_;
  cuda::DeviceArray<double> partials_;
  cuda::DeviceArray<double> sums_;  // the value, and what nobody reads
};

/// A Quartic with penalty and clipping.
inline cuda::FullProblem quartic_problem(const cuda::Stream& stream,
                                         bool is_capturable, int& num_added,
                                         double factor = 1.0) {
  cuda::FullProblem problem{
      resident_of(kQuarticSize), borrow(stream),
      std::make_unique<Quartic>(stream, is_capturable, num_added, factor)};
  problem.resident.penalty.reg_param = 0.01;
  problem.resident.penalty.clip_value = 20.0;
  problem.resident.penalty.clip_norm = 60.0;
  return problem;
}

}  // namespace mlp::testing
