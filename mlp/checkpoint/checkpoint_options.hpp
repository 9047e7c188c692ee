// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "../../core/types.hpp"

namespace mlp {

/// How a fit saves its state, and the state that it resumes from. A resumed fit
/// ends with the same bits as one that was never interrupted. Every member may be
/// empty.
struct CheckpointOptions {
  /// Called after each iteration or epoch, with how many are finished, and with
  /// mini-batches after each step within an epoch too. If it returns true, the
  /// state is saved.
  std::function<bool(Index iterations, bool is_mid_epoch)> is_due;

  /// Takes the state, as bytes.
  std::function<void(const std::string& state)> write;

  /// A state that write() took: the fit resumes from it. Empty starts a new
  /// training.
  std::string state;

  /// What messages call the state, such as the file that it was read from.
  std::string state_name = "the state";
};

}  // namespace mlp
