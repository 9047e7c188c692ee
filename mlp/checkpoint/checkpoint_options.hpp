// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "../../core/types.hpp"

namespace mlp {

/// How a training saves what it needs to go on later, to the same last bit. Every
/// member may be empty.
struct CheckpointOptions {
  /// Asked wherever the training could go on from: after each iteration or epoch,
  /// with their number, and with mini-batches after each step in between.
  std::function<bool(Index iterations, bool is_mid_epoch)> is_due;

  /// Takes the state, as bytes.
  std::function<void(const std::string& state)> write;

  /// What write() took before: the training goes on from there. Empty begins
  /// anew.
  std::string state;
};

}  // namespace mlp
