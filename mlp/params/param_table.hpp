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
#include "../../core/interval.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../network/topology.hpp"
#include "param_info.hpp"
#include "param_values.hpp"
#include "params.hpp"
#include "value_spelling.hpp"

namespace mlp {

namespace detail {

/// Completes "activation must be ...".
constexpr ConstantText describe_activations() {
  ConstantText text;
  append_joined(text.append("one of "), Activation::names(), ", ", ", ");
  return text.append(" for all hidden layers, or one for each");
}

inline constexpr ConstantText kActivationRule = describe_activations();
inline constexpr ConstantText kDropoutRule =
    describe_interval("a number", Topology::kDropoutRates,
                      " for all hidden layers, or one for each");
inline constexpr ConstantText kScheduleSentence = optim::describe_schedules(
    "How the step size changes with the epochs: ", false, ".");
inline constexpr Interval kStepSizes = above(0);
inline constexpr Interval kGradientTols = at_least(0);

}  // namespace detail

/// The table, in the order of the help.
inline constexpr auto kParamTable = std::to_array<ParamInfo>({
    {"layers", "--layers", "sizes", Topology::kSizesRule,
     "Sizes of the layers from the features to the classes.", "4,5,4,3",
     Stored::kNever, detail::parse_ints<&Params::layers>,
     detail::are_layers_valid, detail::format_numbers<&Params::layers>},
    detail::number_param<&Params::max_iter, at_least(0)>(
        "maxIter", "--max-iter",
        "The maximum number of iterations, or of epochs with sgd, adam and "
        "adamw.",
        "200", Stored::kAlways),
    {"tol", "--tol", "number", "a number >= 0, and <= 1 with solver gd",
     "Stops when the relative change of the objective, the gradient or the "
     "weights is at most this.",
     "1e-4", Stored::kAlways, detail::parse_number<&Params::tol>,
     [](const Params& p) {
       return p.tol >= 0.0 &&
              (p.solver != Solver::kGradientDescent || p.tol <= 1.0);
     },
     detail::format_number<&Params::tol>},
    detail::number_param<&Params::block_size, above(0)>(
        "blockSize", "--block-size",
        "Rows per block. Spark averages blocks, so the size changes the "
        "result. A block is not a mini-batch.",
        "64", Stored::kAlways),
    detail::choice_param<&Params::solver, kSolverNames>(
        "solver", "--solver",
        "How the objective is minimised: l-bfgs and gd use all rows at once, "
        "as in Spark; the others use mini-batches.",
        "adam", Stored::kAlways),
    {"stepSize",
     "--step-size",
     "number",
     detail::kIntervalText<false, detail::kStepSizes, detail::kNoNote>.view(),
     "Step size of every solver except l-bfgs, which uses a line search. With "
     "sgd, adam and adamw it is 0.001 if not set.",
     "0.1",
     Stored::kAlways,
     detail::parse_step_size,
     [](const Params& p) {
       return detail::kStepSizes.contains(resolved_step_size(p));
     },
     detail::format_step_size,
     {},
     false,
     &detail::kStepSizes},
    {"seed", "--seed", "integer", "an integer of 64 bits",
     "Seed of the initial weights, of random splits and of mini-batches.",
     "1234", Stored::kAlways, detail::parse_number<&Params::seed>,
     detail::is_anything, detail::format_number<&Params::seed>},
    {"initialWeights", "--initial-weights", "file", "finite numbers",
     "Starts from these weights, an array or a model, instead of weights "
     "from the seed.",
     "model.json", Stored::kNever, detail::parse_initial_weights,
     detail::are_initial_weights_valid, detail::format_initial_weights},
    {"thresholds", "--thresholds", "numbers",
     "numbers >= 0, at most one of them 0",
     "One per class: the class with the largest probability / threshold is "
     "predicted.",
     "0.5,0.3,0.2", Stored::kNever, detail::parse_doubles<&Params::thresholds>,
     detail::are_thresholds_valid, detail::format_numbers<&Params::thresholds>},
    detail::choice_param<&Params::task, kTaskNames>(
        "task", "--task",
        "What the labels are: classes, or numbers, which linear outputs "
        "predict.",
        "regression", Stored::kNever),
    {"numericEncoding", "--numeric-encoding", "encoding",
     kNumericEncodingInterval,
     "How features enter the network: linear as they are, quantile:BINS also "
     "by "
     "their place in bins between quantiles of the training rows.",
     "quantile:8", Stored::kNever, detail::parse_encoding, detail::is_anything,
     detail::format_encoding},
    {"activation", "--activation", "names", detail::kActivationRule.view(),
     "Activation functions of the hidden layers.", "relu", Stored::kNever,
     detail::parse_activation, detail::is_anything, detail::format_activation,
     Activation::names(), true},
    {"init", "--init", "name", kChoices<kNamesOf<kInitializationNames>>,
     "How the initial weights are generated.", "he-normal", Stored::kWhenSet,
     detail::parse_init, detail::is_anything,
     detail::format_choice<&Params::init, kInitializationNames>,
     kNamesOf<kInitializationNames>},
    detail::switch_param<&Params::residual>(
        "residual", "--residual",
        "Adds the input of each hidden layer to its output.", Stored::kNever),
    detail::switch_param<&Params::one_output>(
        "oneOutput", "--one-output",
        "Keeps the output of the first of two classes at 0, as logistic "
        "regression does.",
        Stored::kWhenSet),
    detail::switch_param<&Params::batch_norm>(
        "batchNorm", "--batch-norm",
        "Normalises the inputs of the activation functions over each "
        "mini-batch.",
        Stored::kNever),
    {"dropout", "--dropout", "shares", detail::kDropoutRule.view(),
     "Share of the units that each training step sets to 0.", "0.2",
     Stored::kNever, detail::parse_doubles<&Params::dropout>,
     detail::is_dropout_valid, detail::format_numbers<&Params::dropout>},
    detail::number_param<&Params::reg_param, at_least(0)>(
        "regParam", "--reg-param",
        "L2: adds regParam/2 times the sum of the squared weights, without the "
        "biases. With adamw it is the weight decay.",
        "1e-4", Stored::kWhenSet),
    {"classWeights", "--class-weights", "numbers",
     "numbers >= 0, one per class, not all 0",
     "Weight of the rows of each class.", "1,1,2.5", Stored::kWhenSet,
     detail::parse_doubles<&Params::class_weights>,
     detail::are_class_weights_valid,
     detail::format_numbers<&Params::class_weights>},
    detail::number_param<&Params::label_smoothing, at_least(0).and_at_most(1)>(
        "labelSmoothing", "--label-smoothing",
        "Share of the target that is spread over all classes.", "0.1",
        Stored::kWhenSet, "share"),
    detail::number_param<&Params::clip_norm, at_least(0),
                         detail::kClipsNothing>(
        "clipNorm", "--clip-norm",
        "Scales a gradient with a larger norm down to this norm.", "1",
        Stored::kWhenSet),
    detail::number_param<&Params::clip_value, at_least(0),
                         detail::kClipsNothing>(
        "clipValue", "--clip-value",
        "Limits the absolute value of each element of the gradient.", "0.5",
        Stored::kWhenSet),
    detail::number_param<&Params::patience, at_least(1)>(
        "patience", "--patience",
        "Stops when the validation loss has not improved for this many "
        "iterations or epochs, and returns the best weights.",
        "5", Stored::kWhenSet),
    detail::number_param<&Params::history_size, at_least(0).and_at_most(1000)>(
        "historySize", "--history-size",
        "Number of corrections that l-bfgs stores.", "20", Stored::kWhenSet),
    {"gradientTol",
     "--gradient-tol",
     "number",
     detail::kIntervalText<false, detail::kGradientTols, detail::kNoNote>.view(),
     "l-bfgs searches and stops as in SciPy, not by tol: when no element of "
     "the "
     "gradient is larger than this, or an iteration lowers the objective by "
     "at most 2.2e-9 of it.",
     "1e-4",
     Stored::kWhenSet,
     detail::parse_gradient_tol,
     [](const Params& p) {
       return detail::kGradientTols.contains(p.gradient_tol.value_or(0.0));
     },
     detail::format_gradient_tol,
     {},
     false,
     &detail::kGradientTols},
    detail::number_param<&Params::batch_size, above(0)>(
        "batchSize", "--batch-size",
        "Rows per mini-batch with sgd, adam and adamw.", "32",
        Stored::kWhenSet),
    detail::number_param<&Params::momentum, at_least(0).and_below(1)>(
        "momentum", "--momentum",
        "Share of the previous step that sgd adds to each step.", "0.9",
        Stored::kWhenSet),
    detail::switch_param<&Params::nesterov>("nesterov", "--nesterov",
                                            "Uses Nesterov momentum with sgd.",
                                            Stored::kWhenSet),
    detail::number_param<&Params::beta1, at_least(0).and_below(1)>(
        "beta1", "--beta1",
        "Share of the mean gradient that adam and adamw keep from step to "
        "step.",
        "0.8", Stored::kWhenSet),
    detail::number_param<&Params::beta2, at_least(0).and_below(1)>(
        "beta2", "--beta2",
        "Share of the mean squared gradient that adam and adamw keep from step "
        "to step.",
        "0.99", Stored::kWhenSet),
    detail::number_param<&Params::epsilon, above(0)>(
        "epsilon", "--epsilon",
        "adam and adamw add it to the root of the mean squared gradient.",
        "1e-7", Stored::kWhenSet),
    detail::switch_param<&Params::in_order>(
        "inOrder", "--in-order",
        "Makes mini-batches of the rows in their order instead of shuffling "
        "them.",
        Stored::kWhenSet),
    detail::choice_param<&Params::shuffle, kShuffleNames>(
        "shuffle", "--shuffle",
        "What each epoch of mini-batches shuffles: rows, or slabs, contiguous "
        "runs of the order of the first epoch, which a file can be read in; "
        "auto is slabs for features in a file, else rows.",
        "slabs", Stored::kWhenSet),
    detail::number_param<&Params::stall_epochs, at_least(0),
                         detail::kNeverStops>(
        "stallEpochs", "--stall-epochs",
        "Stops sgd, adam and adamw when the objective, or the validation loss "
        "if there is one, has not fallen by tol for this many epochs.",
        "10", Stored::kWhenSet),
    {"schedule", "--schedule", "schedule", optim::kStepScheduleInterval,
     detail::kScheduleSentence.view(), "cosine,warmup:2", Stored::kWhenSet,
     detail::parse_schedule, detail::is_anything, detail::format_schedule},
    {"freeze", "--freeze", "layers", "layer numbers from 1",
     "Keeps the weights of these layers fixed.", "1,2", Stored::kWhenSet,
     detail::parse_ints<&Params::freeze>, detail::is_freeze_valid,
     detail::format_numbers<&Params::freeze>},
});

/// Finds a hyper-parameter by Spark's name; returns null if there is none.
[[nodiscard]] inline const ParamInfo* find_param(std::string_view name) {
  const auto found =
      std::find_if(kParamTable.begin(), kParamTable.end(),
                   [&](const ParamInfo& info) { return info.name == name; });
  return found == kParamTable.end() ? nullptr : &*found;
}

/// Returns true if a model file contains a hyper-parameter.
[[nodiscard]] inline bool is_written(const ParamInfo& info,
                                     const Params& params) {
  return info.stored == Stored::kAlways ||
         (info.stored == Stored::kWhenSet &&
          info.format(params) != info.format(Params{}));
}

/// Returns true if Spark supports every hyper-parameter set here. The network
/// is not checked.
[[nodiscard]] inline bool has_spark_params(const Params& params) {
  return !has_mini_batches(params.solver) &&
         std::none_of(kParamTable.begin(), kParamTable.end(),
                      [&](const ParamInfo& info) {
                        return info.stored == Stored::kWhenSet &&
                               is_written(info, params);
                      });
}

namespace detail {

/// Names the upper bound of an integer if a text is above it.
inline std::string describe_bound(const ParamInfo& info,
                                  std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const bool is_beyond = info.type == "integer" && !text.empty() &&
                         text.find_first_not_of("0123456789") == text.npos &&
                         !parse_int(text);
  return is_beyond ? " and <= 9223372036854775807" : "";
}

}  // namespace detail

/// Sets a hyper-parameter from text. Names must be spelled as in their list.
///
/// \throws ParamError naming the parameter, what it must be and the text
inline void set_param(Params& params, const ParamInfo& info,
                      std::string_view text) {
  if (!info.parse(params, text)) {
    throw ParamError(
        std::string(info.name),
        "must be " + std::string(info.interval) +
            detail::describe_bound(info, text) + "; got '" + std::string(text) +
            "'" + did_you_mean({info.name, info.choices, info.is_list}, text));
  }
}

}  // namespace mlp
