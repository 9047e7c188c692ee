// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../objective.hpp"
#include "../resumable.hpp"
#include "gradient_descent_vectors.hpp"

namespace mlp::optim {

/// The vectors of gradient descent in the memory of the host.
template <Objective F>
class HostGradientDescentVectors final : public GradientDescentVectors {
 public:
  static constexpr bool kIsOnHost = true;

  /// \param objective  must outlive this object
  explicit HostGradientDescentVectors(F& objective) : objective_(objective) {}

  void start(const Vector& x) override { x_ = x; }

  double evaluate() override {
    next_gradient_.resize(x_.size());
    const double value = objective_.value_and_gradient(x_, next_gradient_);
    gradient_.swap(next_gradient_);
    return value;
  }

  void step(double step_size) override {
    previous_ = x_;
    x_ -= step_size * gradient_;
  }

  [[nodiscard]] double norm() override { return x_.norm(); }
  [[nodiscard]] double moved_distance() override {
    return (previous_ - x_).norm();
  }

  [[nodiscard]] const Vector& x() override { return x_; }

  void save(ByteWriter& state, bool is_moved) const override {
    state.write_vector(is_moved ? previous_ : x_);
    state.write_vector(gradient_);
  }

  void restore(ByteReader& state, Index num_weights) override {
    x_ = read_flat<double>(state, num_weights);
    gradient_ = read_flat<double>(state, num_weights);
  }

 private:
  F& objective_;
  Vector x_, previous_;              // [num_weights]
  Vector gradient_, next_gradient_;  // [num_weights]
};

}  // namespace mlp::optim
