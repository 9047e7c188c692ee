// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../optim/lbfgs/lbfgs_vectors.hpp"
#include "../../optim/line_search/strong_wolfe.hpp"
#include "../runtime/pinned_array.hpp"
#include "../steps/lbfgs_memory.hpp"
#include "full_evaluation.hpp"
#include "lbfgs_arrays.hpp"
#include "repeated_work.hpp"

namespace mlp::cuda {

/// The vectors of L-BFGS in the memory of a device.
///
/// The host decides, as optim::Lbfgs does. It reads a few numbers after each piece
/// of work: choose_direction() also accepts the last step and evaluates the first
/// trial point, so that an iteration whose first trial is accepted is one piece
/// of work and one read.
class LbfgsOnDevice final : public optim::LbfgsVectors {
 public:
  /// \pre    history_size >= 0
  /// \throws ResourceError if the device has too little memory
  LbfgsOnDevice(FullProblem problem, Index history_size);

  void start(const Vector& x) override;
  double evaluate() override;
  [[nodiscard]] bool choose_direction(bool has_unit_trial) override;
  [[nodiscard]] double slope() override { return slope_; }
  [[nodiscard]] double direction_norm() override;
  [[nodiscard]] double gradient_norm() override;
  [[nodiscard]] double gradient_max() override;
  optim::LinePoint trial(double t) override;
  [[nodiscard]] bool has_moved() override;
  void accept() override;
  void clear_history() override;
  [[nodiscard]] const Vector& x() override;
  void save_point(ByteWriter& state) const override;
  void save_history(ByteWriter& state) const override;
  void restore_point(ByteReader& state, Index num_weights) override;
  void restore_history(ByteReader& state, Index num_weights) override;

 private:
  [[nodiscard]] const LbfgsMemory& memory() const { return arrays_.memory(); }
  [[nodiscard]] const LbfgsResults& results() const { return results_[0]; }
  [[nodiscard]] const Stream& stream() const { return evaluation_.stream(); }

  /// Prepares the command of the next work.
  void command(double step, bool is_step_normalised, double stop_request);
  void add_command();
  void add_direction();
  void add_trial_evaluation();
  void wait_for_trial();
  void move_now();
  void compute_products();

  /// x and its gradient are those of the trial point until the next work.
  [[nodiscard]] const double* x_on_device() const;
  [[nodiscard]] const double* gradient_on_device() const;
  [[nodiscard]] Vector read(const double* from) const;

  FullEvaluation evaluation_;
  LbfgsArrays arrays_;
  PinnedArray<LbfgsCommand> command_;
  PinnedArray<LbfgsResults> results_;
  RepeatedWork direction_work_, trial_work_;

  LbfgsMove pending_ = LbfgsMove::kNone;  ///< the first part of the next work
  Index newest_ = 0;                      ///< slot
  Index num_corrections_ = 0;
  bool has_trial_ = false;   ///< results() is of the trial point
  bool has_left_x_ = false;  ///< a trial point was evaluated after x
  double slope_ = 0.0;
  std::optional<double> gradient_squares_;  ///< at x, if known
  std::optional<Vector> host_x_;            ///< x, if it was read
};

}  // namespace mlp::cuda
