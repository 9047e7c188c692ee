// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../mlp/params/params.hpp"
#include "../fit/train_options.hpp"
#include "../fit/training_data.hpp"
#include "../fit/training_job.hpp"

/// The hyper-parameters that no flag gives.
namespace mlp::cli {

/// Completes the hyper-parameters by the preset, and checks them. A note says what
/// was taken. The hidden layer is smaller if memory is short. All ranks of a group call
/// this function.
///
/// \throws DataError if the layers do not begin with the number of features;
///         ParamError naming the flag of a value that is not valid
[[nodiscard]] Params choose_params(const TrainingJob& job,
                                   const TrainingData& data);

}  // namespace mlp::cli
