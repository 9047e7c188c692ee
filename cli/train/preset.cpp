// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "preset.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/left_out_columns.hpp"
#include "../../mlp/params/export_format.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/params/preset.hpp"
#include "../../mlp/params/weight_scale.hpp"
#include "../../mlp/training/fit/encoded_fit.hpp"
#include "../../mlp/training/training_memory.hpp"
#include "../console/shell_word.hpp"
#include "../data/data_options.hpp"
#include "../fit/ranks/rank_data.hpp"
#include "../flags/param_flags.hpp"

namespace mlp::cli {

namespace {

/// Makes the hidden layer smaller until a training fits in the memory that is left.
///
/// \pre params.layers has one hidden layer
void fit_into_memory(Params& params, const TrainingJob& job,
                     const TrainingData& data) {
  // The computed memory is a lower bound.
  constexpr double kShare = 0.7;
  FitOptions fit;
  fit.backend = job.global.backend.implementation;
  fit.precision = job.options.precision;
  if (data.validation) fit.validation = &*data.validation;
  fit.distribution.is_reproducible = job.options.ranks.is_reproducible;
  const int num_ranks = job.group ? 1 : job.options.ranks.num_ranks;
  Index& size = params.layers[1];
  const TrainingSize instances{data.train.num_instances() / num_ranks, false,
                               num_ranks};
  const auto fits = [&] {
    const Params network =
        data.encoder ? encoded_params(params, *data.encoder) : params;
    return has_training_memory(topology_of(network), network, fit, instances,
                               kShare);
  };
  while (size > 1 && !fits()) size /= 2;
  if (!job.group) return;
  for (const std::string& text : job.group->all_gather(std::to_string(size))) {
    size = std::min(size, static_cast<Index>(parse_int(text).value_or(size)));
  }
}

/// Counts the features without those that say that a value is missing: only the preset
/// modern makes them.
Index count_spark_features(const TrainingData& data) {
  Index count = data.num_features();
  for (const datasets::InputColumn& column : data.input_columns) {
    const bool is_marked = column.extra == datasets::ExtraFeature::kMissing;
    count -= is_marked ? 1 : 0;
    count -= std::count(column.categories.begin(), column.categories.end(), "");
  }
  return count;
}

/// The flags for texts and missing values, which only the preset modern has by default.
std::string describe_columns(const TrainOptions& options,
                             const TrainingData& data) {
  const datasets::CsvOptions& csv = options.csv;
  const auto& columns = data.input_columns;
  std::string flags;
  std::vector<std::string> left_out;
  for (const datasets::LeftOutColumn& column : data.left_out) {
    left_out.push_back(column.name);
  }
  if (!left_out.empty()) {
    flags += " --ignore " + shell_word(join_columns(left_out));
  }
  if (csv.one_hot.is_default && datasets::has_categories(columns)) {
    flags += " --one-hot auto";
  }
  if (csv.is_missing_default && !columns.empty()) flags += " --missing mean";
  const bool has_other =
      datasets::has_extra_feature(columns, datasets::ExtraFeature::kOther);
  if (has_other && !options.is_unknown_given) flags += " --unknown other";
  return flags;
}

/// How to train with Spark's defaults: "--preset spark --layers 4,5,3"
std::string describe_spark(const Params& params, const TrainOptions& options,
                           const TrainingData& data) {
  const Index num_features = count_spark_features(data);
  const Index num_outputs = params.layers.back();
  return "--preset spark --layers " + std::to_string(num_features) + ',' +
         std::to_string((num_features + num_outputs + 1) / 2) + ',' +
         std::to_string(num_outputs) + describe_columns(options, data);
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
  if (options.effort != Effort::kQuick) {
    return "no --layers, so mlp " + describe_scaling(options) +
           "chooses among trainings of layers " + format_list(params.layers) +
           " (preset modern); --effort quick trains one; -v lists all values";
  }
  std::string values;
  if (!options.is_param_given("activation")) {
    values = " with ";
    values += params.activation.empty() ? Activation().name()
                                        : params.activation.front().name();
  }
  if (!options.is_param_given("regParam")) {
    values += values.empty() ? " with " : " and ";
    values += "--reg-param " + format_double(params.reg_param);
  }
  return (has_layers ? "the preset modern " : "no --layers, so mlp ") +
         describe_scaling(options) + "trains layers " +
         format_list(params.layers) + values +
         (has_layers ? "" : " (preset modern)") + "; -v lists all values";
}

Params apply_preset(const TrainingJob& job, const TrainingData& data) {
  const TrainOptions& options = job.options;
  const Console& console = job.global.console;
  Params params = options.params;
  const TableFacts facts{data.num_features(), data.classes.count,
                         data.weight_sum, options.export_format,
                         data.num_instances};
  const bool has_layers = !params.layers.empty();
  std::string taken = apply_modern(params, facts, options.params_given);
  const Index chosen = params.layers[1];
  if (!has_layers) fit_into_memory(params, job, data);
  const Index of_narrow = modern_hidden_size_of_narrow(facts);
  if (chosen != of_narrow && !has_layers) {
    console.note("the hidden layer has " + std::to_string(chosen) +
                 " units instead of " + std::to_string(of_narrow) +
                 ", because the table has " +
                 std::to_string(data.num_features()) +
                 " features and few rows; --layers chooses another");
  }
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
  const std::string scale = describe_weight_scale(facts, options.params_given);
  if (!scale.empty()) console.warn(scale);
  if (has_mini_batches(params.solver) && options.has_partitions()) {
    console.note("--partitions has no effect with mini-batches");
  }
  if (params.solver == Solver::kLbfgs && options.is_param_given("stepSize") &&
      !options.is_param_given("solver")) {
    console.note(
        "--step-size has no effect with solver l-bfgs, which searches for the "
        "size of each step");
  }
  if (!taken.empty()) {
    console.detail("the preset modern gives " + taken);
  }
  console.detail(
      (has_layers ? "--preset spark" : describe_spark(params, options, data)) +
      " trains with Spark's defaults");
  return params;
}

/// Returns the names of the classes. Class indices without names are their own
/// names.
std::vector<std::string> class_names(const TrainingData& data,
                                     Index num_outputs) {
  if (!data.classes.names.empty()) return data.classes.names;
  std::vector<std::string> names;
  for (Index i = 0; i < num_outputs; ++i) names.push_back(std::to_string(i));
  return names;
}

/// Sums the weights of the instances of each class, over all ranks.
Vector class_sizes(const TrainingData& data, std::size_t num_classes,
                   distributed::Allreduce* group) {
  Vector sizes = Vector::Zero(static_cast<Index>(num_classes));
  const datasets::Dataset& train = data.train;
  for (Index i = 0; i < train.labels.size(); ++i) {
    sizes[static_cast<Index>(train.labels[i])] +=
        train.weights.size() == 0 ? 1.0 : train.weights[i];
  }
  const bool is_part = group != nullptr && !data.rank_sizes.empty();
  return is_part ? sum_over_ranks(sizes, *group) : sizes;
}

/// Returns the numbers of a flag in the order of the class indices.
///
/// \param listed     one for each unit of the output layer, in the order of the names
/// \param otherwise  of a class that is not named
std::vector<double> resolve(const std::string& parameter,
                            const ClassNumbers& given,
                            const std::vector<double>& listed,
                            const std::vector<std::string>& names,
                            std::optional<double> otherwise) {
  if (given.named.empty()) {
    return listed.size() < names.size() ? listed
                                        : in_index_order(listed, names);
  }
  return numbers_of_classes(parameter, given.named, names, otherwise);
}

/// Sets class weights and thresholds in the order of the class indices, and notes
/// which class has which number. All ranks of a group call this function.
///
/// \param[in,out] params  with layers; its own lists are in the order of the names
/// \param         group   of this process, whose ranks all call this function;
///                        null if it has none
/// \throws ParamError naming the flag
void set_class_numbers(Params& params, const TrainingJob& job,
                       const TrainingData& data) {
  const Index num_outputs = params.layers.back();
  const std::vector<std::string> names = class_names(data, num_outputs);
  const auto set = [&](std::vector<double>& numbers, const ClassNumbers& given,
                       const std::string& parameter, const std::string& flag,
                       const std::string& noun,
                       std::optional<double> otherwise) {
    const bool has_names = !given.named.empty() || given.is_balanced;
    if (!has_names && (numbers.empty() || data.classes.names.empty())) return;
    try {
      numbers = given.is_balanced
                    ? balanced_class_weights(
                          class_sizes(data, names.size(), job.group))
                    : resolve(parameter, given, numbers, names, otherwise);
    } catch (const ParamError& error) {
      throw error.with_prefix(flag + ": ");
    }
    if (numbers.size() < names.size()) return;
    job.global.console.note(noun + ": " +
                            describe_class_numbers(numbers, names));
    // Units of the output layer without a class.
    if (has_names) numbers.resize(static_cast<std::size_t>(num_outputs), 1.0);
  };
  set(params.class_weights, job.options.class_weights, "classWeights",
      "--class-weights", "class weights", 1.0);
  set(params.thresholds, job.options.thresholds, "thresholds", "--thresholds",
      "thresholds", std::nullopt);
}

/// Says how other flags make a model that a format can express.
std::string describe_remedy(const ExportProblem& problem,
                            const std::string& format) {
  if (problem.is_avoidable()) {
    return "; --for " + format + " trains one that can";
  }
  return problem.parameter == "columns"
             ? "; --ignore leaves columns of texts out, and --missing drop the "
               "rows that lack a value"
             : "";
}

/// Refuses a training whose model the format of --for cannot express. Without --for
/// a verbose program says why Spark cannot express the model.
///
/// \param params  with the values of the preset
/// \throws ParamError naming the flag and the reason
void check_export(const TrainingJob& job, const Params& params,
                  const TrainingData& data) {
  const auto& given = job.options.export_format;
  const bool encodes =
      !data.input_columns.empty() || !data.train.columns.empty();
  const ExportFormat format = given.value_or(ExportFormat::kSpark);
  const auto problem =
      find_export_problem(format, export_facts(params, encodes));
  if (!problem) return;
  const std::string name(name_in(kExportFormatNames, format));
  const std::string remedy = describe_remedy(*problem, name);
  if (!given) {
    job.global.console.detail(
        "the model cannot be written as Spark's, because " + problem->reason +
        remedy);
    return;
  }
  throw ParamError("--for " + name + ": cannot express the model, because " +
                   problem->reason + remedy);
}

}  // namespace

Params choose_params(const TrainingJob& job, const TrainingData& data) {
  Params params = job.options.preset == Preset::kModern
                      ? apply_preset(job, data)
                      : job.options.params;
  set_class_numbers(params, job, data);
  validate_flags(params, job.options.num_targets());
  check_export(job, params, data);
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
