// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../fit/train_options.hpp"
#include "../fit/training_data.hpp"
#include "../fit/training_run.hpp"
#include "../flags/flag_reader.hpp"

/// The flag --for: the format that a model must be convertible to.
namespace mlp::cli {

/// Reads --for, and refuses flags and models that its format cannot express.
///
/// \param[in,out] options  the other flags are read
/// \throws ParamError naming both flags
void read_export_format(TrainOptions& options, const FlagReader& flags);

/// Refuses a training whose model the format of --for cannot express. Without --for
/// a verbose program says why Spark cannot express the model.
///
/// \param params  with the values of the preset
/// \throws ParamError naming the flag and the reason
void check_export(const TrainingRun& run, const Params& params,
                  const TrainingData& data);

}  // namespace mlp::cli
