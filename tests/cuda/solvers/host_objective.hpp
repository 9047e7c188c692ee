// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Objectives of tests as solvers on the device see them.

#include <memory>
#include <random>

#include "../../../core/types.hpp"
#include "../../../cuda/network/device_objective.hpp"
#include "../../../cuda/runtime/device_copy.hpp"
#include "../../../cuda/solvers/full_evaluation.hpp"

namespace mlp::testing {

/// A pointer to a stream that must outlive it.
inline std::shared_ptr<const cuda::Stream> borrow(const cuda::Stream& stream) {
  return {std::shared_ptr<const cuda::Stream>(), &stream};
}

/// An objective that the host computes: it works on every device, but not in a
/// graph.
template <typename F>
class HostObjective final : public cuda::DeviceObjective {
 public:
  /// \param function  must outlive this object, as the stream must
  HostObjective(F& function, Index num_weights, const cuda::Stream& stream)
      : function_(function), x_(num_weights), stream_(stream) {}

  [[nodiscard]] bool is_capturable() const override { return false; }

  void add_evaluation(const double* weights, double* value, double* gradient,
                      const cuda::LayerEnqueued&) override {
    cuda::copy_to_host(weights, x_.size(), x_.data(), stream_);
    stream_.synchronize();
    Vector found(x_.size());
    const double at_x = function_.value_and_gradient(x_, found);
    cuda::copy_to_device(found.data(), x_.size(), gradient, stream_);
    cuda::copy_to_device(&at_x, 1, value, stream_);
    stream_.synchronize();
  }

 private:
  F& function_;
  Vector x_;
  const cuda::Stream& stream_;
};

/// A network of so many weights, which all decay, without penalty, of one rank.
///
/// \pre num_weights >= 2
inline ResidentObjective resident_of(Index num_weights) {
  ResidentObjective resident{Topology({num_weights - 1, 1}), {}, 0, {}, {}};
  resident.penalty.ranges = {{0, num_weights, true}};
  return resident;
}

/// A problem of resident_of().
template <typename F>
cuda::FullProblem problem_of(F& function, Index num_weights,
                             const cuda::Stream& stream) {
  return {resident_of(num_weights), borrow(stream),
          std::make_unique<HostObjective<F>>(function, num_weights, stream)};
}

/// A logistic regression without a constant: the labels are those of a hidden
/// direction, with some noise.
class Logistic {
 public:
  Logistic(Index num_weights, Index num_instances)
      : features_(num_weights, num_instances), signs_(num_instances) {
    std::mt19937_64 generator(7);
    std::normal_distribution<double> normal;
    for (Index j = 0; j < num_instances; ++j) {
      double sum = normal(generator);
      for (Index i = 0; i < num_weights; ++i) {
        features_(i, j) = normal(generator);
        sum += features_(i, j) / static_cast<double>(i + 1);
      }
      signs_[j] = sum > 0.0 ? 1.0 : -1.0;
    }
  }

  double value_and_gradient(const Vector& x, Vector& gradient) const {
    const auto size = static_cast<double>(signs_.size());
    const Vector margins = (features_.transpose() * x).cwiseProduct(signs_);
    const Vector slopes = (-signs_.array() / (1.0 + margins.array().exp()));
    gradient = features_ * slopes / size + 1e-3 * x;
    return (-margins.array()).exp().log1p().sum() / size +
           0.5e-3 * x.squaredNorm();
  }

 private:
  Matrix features_;
  Vector signs_;
};

}  // namespace mlp::testing
