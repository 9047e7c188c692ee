// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../line_search/strong_wolfe.hpp"
#include "../objective.hpp"
#include "../resumable.hpp"
#include "lbfgs_history.hpp"
#include "lbfgs_vectors.hpp"

namespace mlp::optim {

/// The vectors of L-BFGS in the memory of the host.
template <Objective F>
class HostLbfgsVectors final : public LbfgsVectors {
 public:
  static constexpr bool kIsOnHost = true;

  /// \param objective  must outlive this object
  HostLbfgsVectors(F& objective, Index history_size)
      : objective_(objective), history_(history_size) {}

  void start(const Vector& x) override { x_ = x; }

  double evaluate() override {
    const double value = evaluate(x_, trial_gradient_);
    gradient_.swap(trial_gradient_);
    return value;
  }

  [[nodiscard]] bool choose_direction(bool /*has_unit_trial*/) override {
    return history_.descend(gradient_, direction_);
  }

  [[nodiscard]] double slope() override { return gradient_.dot(direction_); }
  [[nodiscard]] double direction_norm() override { return direction_.norm(); }
  [[nodiscard]] double gradient_norm() override { return gradient_.norm(); }
  [[nodiscard]] double gradient_max() override {
    return gradient_.cwiseAbs().maxCoeff();
  }

  LinePoint trial(double t) override {
    trial_x_ = direction_ * t + x_;
    const double value = evaluate(trial_x_, trial_gradient_);
    return {t, value, trial_gradient_.dot(direction_)};
  }

  [[nodiscard]] bool has_moved() override { return trial_x_ != x_; }

  void accept() override {
    history_.push(x_, trial_x_, gradient_, trial_gradient_);
    x_.swap(trial_x_);
    gradient_.swap(trial_gradient_);
  }

  void clear_history() override { history_.clear(); }

  [[nodiscard]] const Vector& x() override { return x_; }

  void save_point(ByteWriter& state) const override {
    state.write_vector(x_);
    state.write_vector(gradient_);
  }

  void save_history(ByteWriter& state) const override { history_.save(state); }

  void restore_point(ByteReader& state, Index num_weights) override {
    x_ = read_flat<double>(state, num_weights);
    gradient_ = read_flat<double>(state, num_weights);
  }

  void restore_history(ByteReader& state, Index num_weights) override {
    history_.restore(state, num_weights);
  }

 private:
  double evaluate(const Vector& at, Vector& gradient) {
    gradient.resize(at.size());
    return objective_.value_and_gradient(at, gradient);
  }

  F& objective_;
  Vector x_, gradient_, direction_;  // [num_weights]
  Vector trial_x_, trial_gradient_;  // [num_weights]
  LbfgsHistory history_;
};

}  // namespace mlp::optim
