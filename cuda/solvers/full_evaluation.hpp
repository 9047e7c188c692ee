// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "../../core/index.hpp"
#include "../../mlp/backend/resident_training.hpp"
#include "../nccl/layer_sums.hpp"
#include "../network/device_objective.hpp"
#include "../runtime/stream.hpp"
#include "device_penalty.hpp"

namespace mlp::cuda {

/// What a full-batch solver on the device minimises.
struct FullProblem {
  ResidentObjective resident;  ///< its functions and group outlive the solver
  std::shared_ptr<const Stream> stream;        ///< of the objective
  std::unique_ptr<DeviceObjective> objective;  ///< of resident.instances
};

/// The evaluations of a FullProblem.
class FullEvaluation {
 public:
  /// The numbers directly before a gradient: those that ranks sum with it.
  static constexpr Index kTail = 2;  // value, requests to stop

  explicit FullEvaluation(FullProblem problem);

  [[nodiscard]] Index num_weights() const {
    return problem_.resident.topology.num_weights();
  }
  [[nodiscard]] const Stream& stream() const {
    return problem_.stream->selected();
  }
  [[nodiscard]] bool is_capturable() const {
    return problem_.objective->is_capturable();
  }

  /// Adds an evaluation to the stream.
  ///
  /// \param      stop_request  on the device   [1]
  /// \param      weights       on the device   [num_weights]
  /// \param[out] gradient      on the device, behind kTail numbers that are
  ///                           overwritten too   [num_weights]
  /// \param[out] sums          value and requests to stop, on the device [kTail]
  void add(const double* stop_request, const double* weights, double* gradient,
           double* sums);

  /// Begins an evaluation.
  ///
  /// \return what this rank passes as its request to stop
  /// \throws optim::Interrupted if it is to stop and there are no other ranks
  [[nodiscard]] double poll();

  /// Waits for the evaluation.
  ///
  /// \throws DeviceError; CommunicationError if a rank is lost
  void wait() const;

  /// \throws optim::Interrupted if a rank asked to stop
  static void check(double stop_requests);

 private:
  FullProblem problem_;
  DevicePenalty penalty_;
  std::unique_ptr<LayerSums<double>> layer_sums_;  // null without other ranks
  std::int64_t num_evaluations_ = 0;
};

}  // namespace mlp::cuda
