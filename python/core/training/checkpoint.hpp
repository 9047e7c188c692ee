// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../../mlp/checkpoint/checkpoint_options.hpp"
#include "../../../mlp/params/params.hpp"
#include "../../../mlp/training/fit_options.hpp"

namespace mlp::python {

/// Where a training saves its state, and where it resumes from.
struct CheckpointSettings {
  std::string file;         ///< that is written; empty: none
  double seconds = 30.0;    ///< between two writes
  std::string resume_file;  ///< a checkpoint of the same training; empty: none

  /// Tells the data of a training from others.
  std::string data;
};

/// Makes the options with which a fit saves its state, and reads the state to
/// resume from. All ranks have the same settings; rank 0 writes the states that
/// are due.
///
/// \param      options  of the fit, without the checkpoint
/// \param[out] failure  the sentence of the last write that failed; the training
///                      goes on. Must outlive the fit
/// \throws ModelError if the file to resume from is missing, is not a checkpoint
///         or is a checkpoint of another training
[[nodiscard]] CheckpointOptions make_checkpoint_options(
    const CheckpointSettings& settings, const Params& params,
    const FitOptions& options, std::string& failure);

}  // namespace mlp::python
