// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../../mlp/params/params.hpp"
#include "../fit/train_options.hpp"
#include "../fit/training_data.hpp"
#include "../fit/training_run.hpp"

/// Numbers of the classes that flags give by name, which only the data tell.
namespace mlp::cli {

/// Keeps the value of a flag for set_class_numbers() if it gives numbers by the
/// names of classes, or balanced weights.
///
/// \param name  Spark's name of the hyper-parameter
/// \returns false if the value has another form
/// \throws ParamError naming the flag for a value with wrong names or numbers
[[nodiscard]] bool take_class_numbers(TrainOptions& options,
                                      std::string_view name,
                                      const std::string& value);

/// Sets class weights and thresholds in the order of the class indices, and notes
/// which class has which number. All ranks of a group call this function.
///
/// \param[in,out] params  with layers; its own lists are in the order of the names
/// \param         group   of this process, whose ranks all call this function;
///                        null if it has none
/// \throws ParamError naming the flag
void set_class_numbers(Params& params, const TrainingRun& run,
                       const TrainingData& data);

}  // namespace mlp::cli
