// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "../core/types.hpp"
#include "step_schedule.hpp"

namespace mlp::optim {

/// Tells when the loss of a training by mini-batches no longer falls, and ends the
/// training or shortens its steps.
///
/// An epoch stalls if its loss is above the lowest so far less tol. The result
/// depends only on the losses, so that a resumed training records those of its
/// history again.
///
/// \source scikit-learn neural_network/_multilayer_perceptron.py,
///         _update_no_improvement_count()
class Plateau {
 public:
  /// \param max_stalled  epochs in a row that may stall; 0 for any number
  /// \param step_size    that the schedule scales
  Plateau(const StepSchedule& schedule, Index max_stalled, double tol,
          double step_size)
      : schedule_(schedule),
        max_stalled_(max_stalled),
        tol_(tol),
        step_size_(step_size) {}

  /// Records the loss of an epoch. NaN stalls.
  ///
  /// \return false if the training should end
  bool record(double loss) {
    const bool has_fallen = loss <= lowest_ - tol_;
    if (loss < lowest_) lowest_ = loss;
    num_stalled_ = has_fallen ? 0 : num_stalled_ + 1;
    if (max_stalled_ == 0 || num_stalled_ < max_stalled_) return true;
    num_stalled_ = 0;
    if (schedule_.shape != StepSchedule::Shape::kAdaptive) return false;
    if (step_size_ * scale_ <= StepSchedule::kSmallestStep) return false;
    scale_ *= schedule_.factor;
    return true;
  }

  /// The factor of the step size.
  [[nodiscard]] double scale() const { return scale_; }

 private:
  StepSchedule schedule_;
  Index max_stalled_;
  double tol_;
  double step_size_;
  double lowest_ = std::numeric_limits<double>::infinity();
  double scale_ = 1.0;
  Index num_stalled_ = 0;
};

}  // namespace mlp::optim
