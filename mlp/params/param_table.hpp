// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of all hyper-parameters: name, default, valid interval and
// sentence.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "param_values.hpp"
#include "params.hpp"

namespace mlp {

/// Whether a model file states a hyper-parameter. Those that Spark lacks stand
/// there only where they were set, so that Spark's models keep their bytes.
enum class Stored { kNever, kAlways, kWhenSet };

/// One hyper-parameter: the only place that ties Spark's name, the flag, the
/// member of Params, the valid values and the sentence together. Help,
/// validation, completion and JSON are made from it.
struct ParamInfo {
  std::string_view name;      ///< Spark's, or spelled as Spark would
  std::string_view flag;      ///< of the command line
  std::string_view type;      ///< what a value looks like; empty for a switch
  std::string_view interval;  ///< completes "<name> must be ..."
  std::string_view sentence;  ///< what it does
  std::string_view example;   ///< a value
  Stored stored;              ///< under params in a model file

  /// Sets the member from text; false where the text is not of the type.
  bool (*parse)(Params&, std::string_view);

  /// True where the member's value is allowed.
  bool (*is_valid)(const Params&);

  /// The value as JSON; "" where it is not set.
  std::string (*format)(const Params&);

  std::string_view choices = {};  ///< the only values, parted by spaces
};

/// The table, in the order of the help.
inline constexpr std::array<ParamInfo, 27> kParamTable{{
    {"layers", "--layers", "sizes", "at least 2 sizes, each > 0",
     "Sizes of the layers from the features to the classes.", "4,5,4,3",
     Stored::kNever, detail::parse_ints<&Params::layers>,
     detail::are_layers_valid, detail::format_numbers<&Params::layers>},
    {"maxIter", "--max-iter", "integer", "an integer >= 0",
     "Iterations at most; epochs with sgd, adam and adamw.", "200",
     Stored::kAlways, detail::parse_int_param<&Params::max_iter>,
     [](const Params& p) { return p.max_iter >= 0; },
     detail::format_int_param<&Params::max_iter>},
    {"tol", "--tol", "number", "a number >= 0, and <= 1 with solver gd",
     "Stops where the objective, the gradient or the weights change by no more "
     "than this, relatively.",
     "1e-4", Stored::kAlways, detail::parse_double_param<&Params::tol>,
     [](const Params& p) {
       return p.tol >= 0.0 &&
              (p.solver != Solver::kGradientDescent || p.tol <= 1.0);
     },
     detail::format_double_param<&Params::tol>},
    {"blockSize", "--block-size", "integer", "an integer > 0",
     "Rows per block. Spark averages blocks, so that it changes the result; it "
     "is no mini-batch.",
     "64", Stored::kAlways, detail::parse_int_param<&Params::block_size>,
     [](const Params& p) { return p.block_size > 0; },
     detail::format_int_param<&Params::block_size>},
    {"solver", "--solver", "name", "l-bfgs, gd, sgd, adam or adamw",
     "How the objective is minimised: l-bfgs and gd by all rows at once, as "
     "Spark; the others by mini-batches.",
     "adam", Stored::kAlways,
     detail::parse_choice<&Params::solver, detail::kSolverNames>,
     detail::is_anything,
     detail::format_choice<&Params::solver, detail::kSolverNames>,
     "l-bfgs gd sgd adam adamw"},
    {"stepSize", "--step-size", "number", "a number > 0",
     "Step of every solver but l-bfgs, which searches its own; with sgd, adam "
     "and adamw 0.001 unless given.",
     "0.1", Stored::kAlways, detail::parse_step_size,
     [](const Params& p) { return resolved_step_size(p) > 0.0; },
     detail::format_step_size},
    {"seed", "--seed", "integer", "an integer of 64 bits",
     "Seed of the initial weights, of --split and of mini-batches.", "1234",
     Stored::kAlways, detail::parse_int_param<&Params::seed>,
     detail::is_anything, detail::format_int_param<&Params::seed>},
    {"initialWeights", "--initial-weights", "file", "finite numbers",
     "Starts from these weights, a JSON array or a model, and not from the "
     "seed.",
     "model.json", Stored::kNever, detail::parse_initial_weights,
     detail::are_initial_weights_valid, detail::format_initial_weights},
    {"thresholds", "--thresholds", "numbers",
     "numbers >= 0, at most one of them 0",
     "One per class: the class with the largest probability / threshold is "
     "predicted.",
     "0.5,0.3,0.2", Stored::kNever, detail::parse_doubles<&Params::thresholds>,
     detail::are_thresholds_valid, detail::format_numbers<&Params::thresholds>},
    {"task", "--task", "name", "classification or regression",
     "What the labels are: classes, or numbers to be met by linear outputs.",
     "regression", Stored::kNever,
     detail::parse_choice<&Params::task, detail::kTaskNames>,
     detail::is_anything,
     detail::format_choice<&Params::task, detail::kTaskNames>,
     "classification regression"},
    {"activation", "--activation", "names",
     "one of sigmoid, tanh, softplus, relu, leaky-relu, elu, swish for all "
     "hidden layers, or one for each",
     "What the hidden layers apply.", "relu", Stored::kNever,
     detail::parse_activation, detail::is_anything, detail::format_activation},
    {"init", "--init", "name",
     "spark, xavier-uniform, xavier-normal, he-uniform, he-normal, "
     "lecun-uniform, lecun-normal or orthogonal",
     "How the initial weights are drawn.", "he-normal", Stored::kWhenSet,
     detail::parse_init, detail::is_anything, detail::format_init},
    {"residual", "--residual", "", "true or false",
     "Adds the input of each hidden layer to its output.", "true",
     Stored::kNever, detail::parse_flag<&Params::residual>, detail::is_anything,
     detail::format_flag<&Params::residual>},
    {"batchNorm", "--batch-norm", "", "true or false",
     "Normalises what enters the activations, by mini-batch.", "true",
     Stored::kNever, detail::parse_flag<&Params::batch_norm>,
     detail::is_anything, detail::format_flag<&Params::batch_norm>},
    {"dropout", "--dropout", "shares",
     "a number >= 0 and < 1 for all hidden layers, or one for each",
     "Share of the units that each training step leaves out.", "0.2",
     Stored::kNever, detail::parse_doubles<&Params::dropout>,
     detail::is_dropout_valid, detail::format_numbers<&Params::dropout>},
    {"regParam", "--reg-param", "number", "a number >= 0",
     "L2: adds regParam/2 times the sum of the squared weights, without the "
     "biases. With adamw it is the weight decay.",
     "1e-4", Stored::kWhenSet, detail::parse_double_param<&Params::reg_param>,
     [](const Params& p) { return p.reg_param >= 0.0; },
     detail::format_double_param<&Params::reg_param>},
    {"classWeights", "--class-weights", "numbers",
     "numbers >= 0, one per class, not all 0",
     "What the rows of each class count.", "1,1,2.5", Stored::kWhenSet,
     detail::parse_doubles<&Params::class_weights>,
     detail::are_class_weights_valid,
     detail::format_numbers<&Params::class_weights>},
    {"labelSmoothing", "--label-smoothing", "share", "a number >= 0 and <= 1",
     "Share of the target that is spread over all classes.", "0.1",
     Stored::kWhenSet, detail::parse_double_param<&Params::label_smoothing>,
     [](const Params& p) {
       return p.label_smoothing >= 0.0 && p.label_smoothing <= 1.0;
     },
     detail::format_double_param<&Params::label_smoothing>},
    {"clipNorm", "--clip-norm", "number", "a number >= 0; 0 clips nothing",
     "Scales a gradient that is longer down to this.", "1", Stored::kWhenSet,
     detail::parse_double_param<&Params::clip_norm>,
     [](const Params& p) { return p.clip_norm >= 0.0; },
     detail::format_double_param<&Params::clip_norm>},
    {"clipValue", "--clip-value", "number", "a number >= 0; 0 clips nothing",
     "Bounds each element of the gradient.", "0.5", Stored::kWhenSet,
     detail::parse_double_param<&Params::clip_value>,
     [](const Params& p) { return p.clip_value >= 0.0; },
     detail::format_double_param<&Params::clip_value>},
    {"patience", "--patience", "integer", "an integer >= 1",
     "Stops where --validation has not improved for so many iterations or "
     "epochs, and returns the best weights.",
     "5", Stored::kWhenSet, detail::parse_int_param<&Params::patience>,
     [](const Params& p) { return p.patience >= 1; },
     detail::format_int_param<&Params::patience>},
    {"historySize", "--history-size", "integer", "an integer >= 0 and <= 1000",
     "Corrections that l-bfgs keeps.", "20", Stored::kWhenSet,
     detail::parse_int_param<&Params::history_size>,
     [](const Params& p) {
       return p.history_size >= 0 && p.history_size <= 1000;
     },
     detail::format_int_param<&Params::history_size>},
    {"batchSize", "--batch-size", "integer", "an integer > 0",
     "Rows of a mini-batch of sgd, adam and adamw.", "32", Stored::kWhenSet,
     detail::parse_int_param<&Params::batch_size>,
     [](const Params& p) { return p.batch_size > 0; },
     detail::format_int_param<&Params::batch_size>},
    {"momentum", "--momentum", "number", "a number >= 0 and < 1",
     "Share of the last step that sgd keeps.", "0.9", Stored::kWhenSet,
     detail::parse_double_param<&Params::momentum>,
     [](const Params& p) { return p.momentum >= 0.0 && p.momentum < 1.0; },
     detail::format_double_param<&Params::momentum>},
    {"nesterov", "--nesterov", "", "true or false",
     "Lets the momentum of sgd look ahead.", "true", Stored::kWhenSet,
     detail::parse_flag<&Params::nesterov>, detail::is_anything,
     detail::format_flag<&Params::nesterov>},
    {"schedule", "--schedule", "schedule", optim::kStepScheduleInterval,
     "How the step size changes with the epochs.", "cosine,warmup:2",
     Stored::kWhenSet, detail::parse_schedule, detail::is_anything,
     detail::format_schedule},
    {"freeze", "--freeze", "layers", "layers from 1 on",
     "Leaves the weights of these layers as they are.", "1,2", Stored::kWhenSet,
     detail::parse_ints<&Params::freeze>, detail::is_freeze_valid,
     detail::format_numbers<&Params::freeze>},
}};

/// Finds a hyper-parameter by Spark's name; null where there is none.
[[nodiscard]] inline const ParamInfo* find_param(std::string_view name) {
  const auto found =
      std::find_if(kParamTable.begin(), kParamTable.end(),
                   [&](const ParamInfo& info) { return info.name == name; });
  return found == kParamTable.end() ? nullptr : &*found;
}

/// Whether a model file states a hyper-parameter.
[[nodiscard]] inline bool is_written(const ParamInfo& info,
                                     const Params& params) {
  return info.stored == Stored::kAlways ||
         (info.stored == Stored::kWhenSet &&
          info.format(params) != info.format(Params{}));
}

/// Whether Spark has all that these say, but for the network itself.
[[nodiscard]] inline bool has_spark_params(const Params& params) {
  return !has_mini_batches(params.solver) &&
         std::none_of(kParamTable.begin(), kParamTable.end(),
                      [&](const ParamInfo& info) {
                        return info.stored == Stored::kWhenSet &&
                               is_written(info, params);
                      });
}

namespace detail {

/// Names the upper bound of an integer where a text is beyond it.
inline std::string describe_bound(const ParamInfo& info,
                                  std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const bool is_beyond = info.type == "integer" && !text.empty() &&
                         text.find_first_not_of("0123456789") == text.npos &&
                         !parse_int(text);
  return is_beyond ? " and <= 9223372036854775807" : "";
}

}  // namespace detail

/// Sets a hyper-parameter from text.
///
/// \throws ParamError naming the parameter, what it must be and the text
inline void set_param(Params& params, const ParamInfo& info,
                      std::string_view text) {
  if (!info.parse(params, text)) {
    throw ParamError(std::string(info.name) + " must be " +
                     std::string(info.interval) +
                     detail::describe_bound(info, text) + "; got '" +
                     std::string(text) + "'");
  }
}

}  // namespace mlp
