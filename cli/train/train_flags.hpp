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

}  // namespace mlp::cli
