// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "preset.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/params/preset.hpp"
#include "../../mlp/training/training_memory.hpp"
#include "../flags/param_flags.hpp"
#include "class_numbers.hpp"
#include "export_flag.hpp"

namespace mlp::cli {

namespace {

/// Returns Spark's names of the hyper-parameters that flags or the model of
/// --warm-start give.
std::vector<std::string_view> names_given(const TrainOptions& options,
                                          const FlagReader& flags) {
  std::vector<std::string_view> names;
  if (options.warm_start) names = {"activation"};
  for (const OptionInfo& option : kOptionTable) {
    if (option.param != nullptr && flags.has(FlagName(option))) {
      names.push_back(option.param->name);
    }
  }
  return names;
}

/// Makes the hidden layer smaller until a training fits in the memory that is left.
///
/// \pre params.layers has one hidden layer
void fit_into_memory(Params& params, const TrainingRun& run,
                     const TrainingData& data) {
  // The computed memory is a lower bound.
  constexpr double kShare = 0.7;
  FitOptions fit;
  fit.backend = run.global.backend.implementation;
  fit.precision = run.options.precision;
  if (data.validation) fit.validation = &*data.validation;
  fit.distribution.is_reproducible = run.options.ranks.is_reproducible;
  const int num_ranks = run.group ? 1 : run.options.ranks.num_ranks;
  Index& size = params.layers[1];
  const Index num_instances = data.train.num_instances() / num_ranks;
  while (size > 1 && !has_training_memory(topology_of(params), params, fit,
                                          num_instances, num_ranks, kShare)) {
    size /= 2;
  }
  if (!run.group) return;
  for (const std::string& text : run.group->all_gather(std::to_string(size))) {
    size = std::min(size, static_cast<Index>(parse_int(text).value_or(size)));
  }
}

/// How to train with Spark's defaults: "--preset spark --layers 4,5,3"
std::string describe_spark(const Params& params) {
  const Index num_features = params.layers.front();
  const Index num_outputs = params.layers.back();
  return "--preset spark --layers " + std::to_string(num_features) + ',' +
         std::to_string((num_features + num_outputs + 1) / 2) + ',' +
         std::to_string(num_outputs);
}

/// "standardises the features and ", or less
std::string describe_scaling(const TrainOptions& options) {
  if (options.is_standardizing && options.is_standardizing_labels) {
    return "standardises the features and the labels and ";
  }
  if (options.is_standardizing) return "standardises the features and ";
  return options.is_standardizing_labels ? "standardises the labels and " : "";
}

/// Says the most important values of a training, and how to choose others.
///
/// \param has_layers  a flag or a model gives the layers
std::string describe_modern(const TrainOptions& options, const Params& params,
                            bool has_layers) {
  const auto is_given = [&options](std::string_view name) {
    const auto& given = options.params_given;
    return std::find(given.begin(), given.end(), name) != given.end();
  };
  std::string values;
  if (!is_given("activation")) {
    values = " with ";
    values += params.activation.empty() ? Activation().name()
                                        : params.activation.front().name();
  }
  if (!is_given("regParam")) {
    values += values.empty() ? " with " : " and ";
    values += "--reg-param " + format_double(params.reg_param);
  }
  return (has_layers ? "the preset modern " : "no --layers, so mlp ") +
         describe_scaling(options) + "trains layers " +
         format_list(params.layers) + values +
         (has_layers ? "" : " (preset modern)") + "; -v lists all values";
}

Params apply_preset(const TrainingRun& run, const TrainingData& data) {
  const TrainOptions& options = run.options;
  const Console& console = run.global.console;
  Params params = options.params;
  const TableFacts facts{data.num_features(), data.classes.count,
                         data.weight_sum, options.export_format};
  const bool has_layers = !params.layers.empty();
  std::string taken = apply_modern(params, facts, options.params_given);
  const Index chosen = params.layers[1];
  if (!has_layers) fit_into_memory(params, run, data);
  if (params.layers[1] != chosen && !has_layers) {
    console.note(
        "the hidden layer has " + std::to_string(params.layers[1]) +
        " units instead of " + std::to_string(chosen) +
        ", because a larger one needs more memory than is available; --layers "
        "chooses another");
    taken.replace(taken.find('['), taken.find(']') + 1 - taken.find('['),
                  format_list(params.layers));
  }
  console.note(describe_modern(options, params, has_layers));
  if (!taken.empty()) {
    console.detail("the preset modern gives " + taken);
  }
  console.detail((has_layers ? "--preset spark" : describe_spark(params)) +
                 " trains with Spark's defaults");
  return params;
}

}  // namespace

void read_preset(TrainOptions& options, const FlagReader& flags) {
  const bool has_network =
      flags.has("layers") || options.warm_start || flags.has("initial-weights");
  options.preset = flags.choice("preset", kPresetNames,
                                has_network ? Preset::kSpark : Preset::kModern);
  options.is_spark_by_layers = flags.has("layers") && !flags.has("preset");
  const bool is_modern = options.preset == Preset::kModern;
  if (!is_modern && !has_network) {
    throw ParamError(
        "--preset: spark needs --layers, for which Spark has no default; add "
        "--layers with the sizes from the features to the classes, such as "
        "4,5,3");
  }
  flags.refuse_both("standardize", "no-standardize");
  const bool may_standardize = is_modern && !flags.has("no-standardize");
  options.is_standardizing =
      flags.has("standardize") ||
      (may_standardize && !flags.has("scale") && !options.warm_start);
  options.has_scale = options.is_standardizing || flags.has("scale") ||
                      flags.has("no-standardize");
  options.is_standardizing_labels =
      may_standardize && options.params.task == Task::kRegression;
  options.params_given = names_given(options, flags);
}

Params choose_params(const TrainingRun& run, const TrainingData& data) {
  Params params = run.options.preset == Preset::kModern
                      ? apply_preset(run, data)
                      : run.options.params;
  set_class_numbers(params, run, data);
  validate_flags(params, run.options.num_targets());
  check_export(run, params, data);
  const Index num_features = data.num_features();
  if (params.layers.front() != num_features) {
    throw DataError(data.train.source,
                    "expected " + std::to_string(params.layers.front()) +
                        " features for layers " + format_list(params.layers) +
                        ", got " + std::to_string(num_features) +
                        data.describe_encoding() + "; start --layers with " +
                        std::to_string(num_features));
  }
  return params;
}

}  // namespace mlp::cli
