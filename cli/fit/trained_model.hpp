// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../mlp/classifier.hpp"
#include "training_data.hpp"
#include "training_job.hpp"

namespace mlp::cli {

/// Writes a trained model to the file of the options, "-" for standard output.
///
/// \param checkpoint  a checkpoint of this training, for the message; empty if
///                    none was written
/// \throws ResourceError if the file cannot be written. The model is then saved
///         in the folder for temporary files, if there is room; the sentence
///         names that file, or else the checkpoint.
void save_trained_model(const TrainingJob& job, const TrainingData& data,
                        const FitResult& fit, const std::string& checkpoint);

}  // namespace mlp::cli
