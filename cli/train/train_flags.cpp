// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "train_flags.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/partition.hpp"
#include "../../mlp/model_json.hpp"
#include "../../mlp/params/export_format.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../../mlp/selection/unseen_region.hpp"
#include "../../mlp/training/fit/encoded_fit.hpp"
#include "../data/data_file.hpp"
#include "../data/data_options.hpp"
#include "../fit/ranks/rank_files.hpp"
#include "../flags/flag_reader.hpp"
#include "../flags/lenient_value.hpp"
#include "../flags/param_flags.hpp"
#include "checkpoint_flags.hpp"
#include "flag_needs.hpp"
#include "initial_weights_file.hpp"

namespace mlp::cli {

namespace {

/// Refuses numbers of classes for a regression, as lists of them are refused.
void check_class_numbers(const TrainOptions& options) {
  Params params = options.params;
  if (options.class_weights.is_given()) params.class_weights = {1.0};
  if (options.thresholds.is_given()) params.thresholds = {1.0};
  name_flags([&] { mlp::check_task(params); });
}

void read_initial_weights(TrainOptions& options, const FlagReader& flags) {
  options.initial_weights_file = flags.text("initial-weights");
  const std::string& file = options.initial_weights_file;
  if (file.empty()) return;
  Params& params = options.params;
  InitialWeightsFile weights = read_initial_weights_file(file);
  params.initial_weights = std::move(weights.weights);
  if (params.layers.empty()) params.layers = std::move(weights.layers);
  if (params.layers.empty() && options.preset == Preset::kSpark) {
    throw ParamError(
        "--initial-weights: numbers alone do not say which layers they are "
        "for; "
        "add --layers, or use a model instead of numbers");
  }
}

std::optional<std::vector<Index>> parse_partition_sizes(std::string_view text) {
  auto sizes = mlp::parse_list<Index>(text, parse_int);
  const bool is_valid = sizes && !sizes->empty() &&
                        std::all_of(sizes->begin(), sizes->end(),
                                    [](Index size) { return size >= 0; });
  return is_valid ? std::move(sizes) : std::nullopt;
}

/// Reads the weights of the training and the test rows.
std::optional<std::vector<double>> parse_split(std::string_view text) {
  auto weights = mlp::parse_list<double>(text, parse_double);
  const bool is_valid = weights && weights->size() == 2 &&
                        (*weights)[0] > 0.0 && (*weights)[1] > 0.0 &&
                        std::isfinite((*weights)[0] + (*weights)[1]);
  return is_valid ? std::move(weights) : std::nullopt;
}

void read_partitions(TrainOptions& options, const FlagReader& flags) {
  constexpr Interval kCounts =
      at_least(1).and_at_most(datasets::kMaxPartitions);
  flags.refuse_both("partitions", "partition-sizes");
  options.partitions_are_files =
      flags.has("partitions") && flags.text("partitions") == "files";
  if (!options.partitions_are_files) {
    options.num_partitions = flags.integer("partitions", kCounts, 1);
  }
  options.partition_sizes =
      flags
          .parsed("partition-sizes", parse_partition_sizes,
                  "integers >= 0, separated by commas")
          .value_or(std::vector<Index>());
}

/// Reads the name of an output; other names of standard output are "-".
std::string read_output_name(const FlagReader& flags, FlagName flag) {
  const std::string name = flags.text(flag);
  for (const std::string_view other :
       {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    if (name == other) return "-";
  }
  return name;
}

void read_outputs(TrainOptions& options, const FlagReader& flags) {
  options.model_file = read_output_name(flags, "out");
  options.history_file = read_output_name(flags, "history");
  const auto refuse = [&](const std::string& file, FlagName flag) {
    if (file != "-" || !flags.has("json")) return;
    refuse_value(flag.view(), "a file if --json writes to standard output",
                 file);
  };
  refuse(options.model_file, "out");
  refuse(options.history_file, "history");
  if (options.model_file == "-" && options.history_file == "-") {
    flags.refuse("history", "a file if --out writes to standard output");
  }
}

void read_split(TrainOptions& options, const FlagReader& flags) {
  options.split =
      flags
          .parsed("split", parse_split,
                  "two numbers > 0, the shares of training and testing")
          .value_or(std::vector<double>());
  options.is_stratified = flags.has("stratify");
  options.csv.group = flags.text("group");
  flags.refuse_both("group", "stratify");
  options.split_prefix = flags.text("write-split");
  if (options.split_prefix.empty()) return;
  if (options.data.front() == "-") {
    throw ParamError(
        "--write-split: needs a data file that can be read again; got "
        "standard input");
  }
  flags.refuse_both("write-split", "labels");
}

/// Refuses what contradicts cross-validation.
void read_folds(TrainOptions& options, const FlagReader& flags) {
  if (!flags.has("folds")) return;
  options.num_folds =
      flags.integer("folds", at_least(2).and_at_most(1000000), 0);
  static constexpr FlagName kOthers[] = {
      "split",      "checkpoint", "warm-start",     "ranks",
      "rendezvous", "timeline",   "partition-sizes"};
  for (const FlagName other : kOthers) flags.refuse_both("folds", other);
  if (options.ranks.transport == Transport::kNone) return;
  throw ParamError("--folds: needs one process; do not start it with mpirun");
}

/// Reads --interval or --coverage, which flag_needs.hpp refuses for the other task.
///
/// \pre the effort is read
/// \throws ParamError naming the flag
void read_coverage(TrainOptions& options, const FlagReader& flags) {
  const Task task = options.params.task;
  const FlagName flag =
      task == Task::kRegression ? FlagName("interval") : FlagName("coverage");
  if (!flags.has(flag)) return;
  options.coverage = flags.number(flag, kCoverages, 0.0);
  name_flags([&] {
    check_coverage(options.params, options.coverage, options.effort);
  });
}

void read_validation(TrainOptions& options, const FlagReader& flags) {
  const std::string text = flags.text("validation");
  if (text.empty()) return;
  if (!parse_double(text)) {
    options.validation_file = text;
    return;
  }
  options.validation_share = flags.number("validation", above(0).and_below(1),
                                          0.0, "a share", ", or a file");
}

/// Reads the model of --warm-start. Settings of the network that no flag gives
/// are taken from the model.
void read_warm_start(TrainOptions& options, const FlagReader& flags) {
  options.warm_start_file = flags.text("warm-start");
  if (options.warm_start_file.empty()) return;
  options.warm_start = load_model(options.warm_start_file).model;
  Params network;
  take_model(*options.warm_start, network);
  Params& params = options.params;
  if (!flags.has("numeric-encoding")) {
    params.numeric_encoding = network.numeric_encoding;
  }
  if (!flags.has("layers")) params.layers = network.layers;
  if (!flags.has("activation")) params.activation = network.activation;
  if (!flags.has("dropout")) params.dropout = network.dropout;
  if (!flags.has("residual")) params.residual = network.residual;
  if (!flags.has("batch-norm")) params.batch_norm = network.batch_norm;
  if (!flags.has("task")) params.task = network.task;
  const datasets::InputRules& rules = options.warm_start->input_rules();
  if (!flags.has("unknown")) options.csv.unknown = rules.unknown;
  if (!flags.has("na")) {
    options.csv.missing_texts = datasets::missing_texts_of(rules);
  }
  if (!flags.has("label-smoothing")) {
    params.label_smoothing = network.label_smoothing;
  }
}

/// Refuses options that need all data on every rank if each rank has its own
/// file.
void check_own_files(const TrainOptions& options) {
  if (!options.has_own_data()) return;
  const auto refuse = [](bool is_given, const std::string& flag) {
    if (!is_given) return;
    throw ParamError(flag +
                     ": needs all data on every rank; give all ranks the same "
                     "file, without {rank} in its name");
  };
  refuse(options.ranks.is_reproducible, "--reproducible");
  refuse(options.csv.one_hot.is_on(), "--one-hot");
  refuse(options.csv.missing != datasets::MissingRule::kRefuse, "--missing");
  refuse(!options.split.empty(), "--split");
  refuse(options.validation_share > 0.0, "--validation");
  refuse(options.has_partitions(), "--partitions");
  refuse(!options.partition_sizes.empty(), "--partition-sizes");
}

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

/// Keeps the value of a flag for set_class_numbers() if it gives numbers by the
/// names of classes, or balanced weights.
///
/// \param name  Spark's name of the hyper-parameter
/// \returns false if the value has another form
/// \throws ParamError naming the flag for a value with wrong names or numbers
bool take_class_numbers(TrainOptions& options, std::string_view name,
                        const std::string& value) {
  const bool are_weights = name == "classWeights";
  if (!are_weights && name != "thresholds") return false;
  ClassNumbers numbers;
  numbers.is_balanced = are_weights && value == "balanced";
  if (!numbers.is_balanced) {
    if (value.find('=') == value.npos) return false;
    auto named = parse_named_numbers(value);
    if (!named) {
      refuse_value(are_weights ? "class-weights" : "thresholds",
                   "NAME=NUMBER for classes, separated by commas; a name with "
                   "a comma or = is in double quotes",
                   value);
    }
    numbers.named = *std::move(named);
  }
  (are_weights ? options.class_weights : options.thresholds) =
      std::move(numbers);
  return true;
}

/// Reads --preset and the flags that scale features. Without --preset, a network
/// that is given asks for Spark's defaults, and all else for the preset modern.
///
/// \pre the other flags of options are read
/// \throws ParamError if Spark's defaults need layers that are not given
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
  options.is_unknown_given = flags.has("unknown");
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
  if (is_modern && !options.warm_start && !options.has_own_data()) {
    use_preset_encoding(flags, options.csv);
  }
}

/// Names what makes several trainings impossible: "--layers", or "" if there is
/// nothing.
std::string find_single_training(const TrainOptions& options,
                                 const FlagReader& flags) {
  static constexpr FlagName kSingle[] = {
      "layers",     "warm-start", "initial-weights", "validation",
      "checkpoint", "history",    "residual",        "batch-norm",
      "freeze",     "scale",      "partitions",      "partition-sizes",
      "timeline",   "ranks",      "rendezvous"};
  for (const FlagName flag : kSingle) {
    if (flags.has(flag)) return "--" + std::string(flag.view());
  }
  if (options.preset != Preset::kModern) return "--preset spark";
  if (flags.text("device").starts_with("cuda")) return "--device cuda";
  if (options.precision != Precision::kFloat64 &&
      options.precision != Precision::kFloat32) {
    return "--precision " + flags.text("precision");
  }
  return options.ranks.transport != Transport::kNone ? "mpirun" : "";
}

/// Reads --effort, and refuses what several trainings do not have. Without --effort,
/// flags of one training make it quick.
///
/// \pre the preset is read
/// \throws ParamError naming the flag
void read_effort(TrainOptions& options, const FlagReader& flags) {
  options.effort = flags.choice("effort", kEffortNames, Effort::kStandard);
  if (options.effort == Effort::kQuick) return;
  const std::string single = find_single_training(options, flags);
  if (single.empty()) return;
  if (flags.has("effort")) {
    flags.refuse("effort", "quick with " + single + ", which one training has");
  }
  options.effort = Effort::kQuick;
}

/// Returns a flag as it is given: "--activation relu"
std::string given_flag(const OptionInfo& option, const FlagReader& flags) {
  const std::string value = flags.text(FlagName(option));
  return option.flag() + (option.is_switch() ? "" : ' ' + value);
}

/// Returns the flag that causes a problem: it sets the hyper-parameter, or names the
/// file that does.
std::string cause_of(const ExportProblem& problem, const TrainOptions& options,
                     const FlagReader& flags) {
  for (const OptionInfo& option : kOptionTable) {
    const bool is_about_columns =
        option.name == "one-hot" ||
        (option.name == "missing" &&
         options.csv.missing == datasets::MissingRule::kMean);
    const bool is_cause =
        option.param != nullptr
            ? option.param->name == problem.parameter
            : problem.parameter == "columns" && is_about_columns;
    if (is_cause && flags.has(FlagName(option))) {
      return given_flag(option, flags);
    }
  }
  return options.warm_start
             ? "--warm-start " + options.warm_start_file
             : "--initial-weights " + options.initial_weights_file;
}

/// Reads --for, and refuses flags and models that its format cannot express.
///
/// \param[in,out] options  the other flags are read
/// \throws ParamError naming both flags
void read_export_format(TrainOptions& options, const FlagReader& flags) {
  if (!flags.has("for")) return;
  const ExportFormat format =
      flags.choice("for", kExportFormatNames, ExportFormat::kSpark);
  options.export_format = format;
  const bool has_columns =
      options.csv.asks_for_columns() || !columns_of_warm_start(options).empty();
  const auto problem =
      find_export_problem(format, export_facts(options.params, has_columns));
  if (!problem) return;
  throw ParamError(cause_of(*problem, options, flags) + ": --for " +
                   std::string(name_in(kExportFormatNames, format)) + ' ' +
                   std::string(problem->need));
}

}  // namespace

TrainOptions read_train_options(const CommandLine& line) {
  const FlagReader flags(line);
  TrainOptions options;
  read_data_flags(options, line);
  options.given_data = options.data;
  read_outputs(options, flags);
  options.is_strict = flags.has("strict");
  options.scale = read_scale(flags);
  set_params(options.params, line,
             [&](std::string_view name, const std::string& value) {
               return take_class_numbers(options, name, value);
             });
  options.ranks = read_rank_options(line);
  read_split(options, flags);
  read_folds(options, flags);
  options.store = read_store(flags, options.model_file);
  read_validation(options, flags);
  read_partitions(options, flags);
  check_own_files(options);
  check_rank_files(options.data, flags, options.ranks);
  read_warm_start(options, flags);
  read_targets(options);
  options.params.seed_hash = flags.choice(
      "seed-hash", kSeedHashNames, SeedHash::kSpark3, ", a version of Spark");
  options.checkpoint = read_checkpoint_flags(flags);
  options.precision =
      flags.choice("precision", kPrecisionNames, Precision::kFloat64);
  read_preset(options, flags);
  read_effort(options, flags);
  read_coverage(options, flags);
  validate_flags(options.params, options.num_targets());
  check_class_numbers(options);
  options.notes = check_flag_needs(options, flags);
  read_initial_weights(options, flags);
  validate_flags(options.params, options.num_targets());
  check_encoding(options, options.ranks.num_ranks);
  read_export_format(options, flags);
  return options;
}

void check_encoding(const TrainOptions& options, int num_ranks) {
  name_flags([&] {
    check_numeric_encoding(options.params,
                           options.warm_start ? &*options.warm_start : nullptr,
                           num_ranks);
  });
}

}  // namespace mlp::cli
