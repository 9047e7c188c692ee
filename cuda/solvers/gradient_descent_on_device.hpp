// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../optim/gradient_descent/gradient_descent_vectors.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/pinned_array.hpp"
#include "full_evaluation.hpp"
#include "repeated_work.hpp"

namespace mlp::cuda {

/// The vectors of gradient descent in the memory of a device.
class GradientDescentOnDevice final : public optim::GradientDescentVectors {
 public:
  /// \throws ResourceError if the device has too little memory
  explicit GradientDescentOnDevice(FullProblem problem);

  void start(const Vector& x) override;
  double evaluate() override;
  void step(double step_size) override;
  [[nodiscard]] double norm() override;
  [[nodiscard]] double moved_distance() override;
  [[nodiscard]] const Vector& x() override;
  void save(ByteWriter& state, bool is_moved) const override;
  void restore(ByteReader& state, Index num_weights) override;

 private:
  /// The host writes Command before the work, and reads Results after it.
  struct Command {
    double step_size = 0.0;
    double stop_request = 0.0;
  };
  struct Results {
    double value = 0.0;
    double stop_requests = 0.0;
    double moved_squares = 0.0;
    double squares = 0.0;  ///< of x
  };

  [[nodiscard]] const Stream& stream() const { return evaluation_.stream(); }
  [[nodiscard]] Vector read(const DeviceArray<double>& from) const;
  void add_evaluation();
  void add_step();

  FullEvaluation evaluation_;
  DeviceArray<double> x_, previous_, gradient_;  // [num_weights]
  DeviceArray<double> next_gradient_;  // [FullEvaluation::kTail + num_weights]
  DeviceArray<double> partials_;
  DeviceArray<Command> device_command_;  // [1]
  DeviceArray<Results> device_results_;  // [1]
  PinnedArray<Command> command_;         // [1]
  PinnedArray<Results> results_;         // [1]
  RepeatedWork evaluation_work_, step_work_;
  std::optional<Vector> host_x_;  ///< x, if it was read
};

}  // namespace mlp::cuda
