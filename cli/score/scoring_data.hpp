// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Reads the instances that a model scores, by its columns and the flags.

#include "../../datasets/load/load.hpp"
#include "../../mlp/model/model.hpp"
#include "../flags/command_line.hpp"
#include "../flags/global_options.hpp"

namespace mlp::cli {

/// Returns how instances to predict are read.
///
/// \throws ParamError for a flag that does not fit the model
[[nodiscard]] datasets::LoadOptions instance_options(
    const Model& model, const CommandLine& line, const GlobalOptions& global);

/// Notes what was assumed about a file of instances.
///
/// \param loaded  its instances are not used
void note_instances(const Model& model, const datasets::LoadOptions& options,
                    const datasets::LoadedData& loaded, const Console& console);

/// Reads instances to predict, and the columns of --keep: features by name where
/// the model and the file have names, else by position.
///
/// \throws DataError for a file that cannot be read or has other features than
///         the model; ParamError for a flag that does not fit the model
[[nodiscard]] datasets::LoadedData load_instances(const Model& model,
                                                  const CommandLine& line,
                                                  const GlobalOptions& global);

/// Reads labelled instances; their labels are the model's classes.
///
/// \throws DataError as above, and naming the line of a label that is not a
///         class
[[nodiscard]] datasets::Dataset load_labelled_instances(
    const Model& model, const CommandLine& line, const GlobalOptions& global);

}  // namespace mlp::cli
