// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../fit/train_options.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

/// Reads the flags of train about checkpoints.
///
/// \throws ParamError naming the flag
[[nodiscard]] CheckpointFlags read_checkpoint_flags(const FlagReader& flags);

}  // namespace mlp::cli
