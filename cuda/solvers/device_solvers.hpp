// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Makes solvers on the device for what mlp trains.

#include <memory>

#include "../../core/index.hpp"
#include "../../mlp/backend/resident_training.hpp"
#include "../../optim/gradient_descent/gradient_descent_vectors.hpp"
#include "../../optim/lbfgs/lbfgs_vectors.hpp"
#include "../network/device_objective.hpp"
#include "../runtime/stream.hpp"

namespace mlp::cuda {

/// Makes the vectors of L-BFGS on the device.
///
/// \param resident   its functions and group must outlive the result
/// \param objective  evaluates resident.instances, on the stream
/// \throws ResourceError if the device has too little memory
[[nodiscard]] std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
    const ResidentObjective& resident,
    std::unique_ptr<DeviceObjective> objective,
    std::shared_ptr<const Stream> stream, Index history_size);

/// Makes the vectors of gradient descent on the device; see
/// make_lbfgs_vectors().
[[nodiscard]] std::unique_ptr<optim::GradientDescentVectors>
make_gradient_descent_vectors(const ResidentObjective& resident,
                              std::unique_ptr<DeviceObjective> objective,
                              std::shared_ptr<const Stream> stream);

/// Makes a training by mini-batches on the device; see make_lbfgs_vectors().
///
/// \tparam Number  double for Precision::kFloat64, float for the others
template <typename Number>
[[nodiscard]] std::unique_ptr<BatchSolver> make_batch_solver(
    const ResidentObjective& resident,
    std::unique_ptr<DeviceBatchObjective<Number>> objective,
    std::shared_ptr<const Stream> stream, const BatchRule& rule);

}  // namespace mlp::cuda
