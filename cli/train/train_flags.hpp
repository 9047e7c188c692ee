// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../fit/train_options.hpp"
#include "../flags/command_line.hpp"

namespace mlp::cli {

/// Reads and checks the flags of train, as far as they can be checked without
/// the data.
///
/// \throws ParamError naming the flag; ModelError for a file of initial weights
///         that cannot be read
[[nodiscard]] TrainOptions read_train_options(const CommandLine& line);

/// Refuses an encoding of numbers that several ranks cannot learn together, or that the
/// model of --warm-start does not have.
///
/// \throws ParamError naming the flag
void check_encoding(const TrainOptions& options, int num_ranks);

}  // namespace mlp::cli
