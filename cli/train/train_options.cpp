// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "train_options.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/partition.hpp"
#include "../../mlp/model_json.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../flags/global_options.hpp"
#include "initial_weights_file.hpp"

namespace mlp::cli {

namespace {

/// Prefixes the error of a hyper-parameter with its flag.
[[noreturn]] void rethrow_with_flag(const ParamError& error) {
  const std::string_view sentence = error.what();
  for (const ParamInfo& info : kParamTable) {
    if (sentence.substr(0, info.name.size() + 1) !=
        std::string(info.name) + ' ') {
      continue;
    }
    throw ParamError(std::string(info.flag) + ": " + error.what());
  }
  throw ParamError(error.what());
}

void check_each(const Params& params) {
  for (const ParamInfo& info : kParamTable) {
    const bool is_unset = info.name == "layers" && params.layers.empty();
    if (is_unset || info.is_valid(params)) continue;
    throw ParamError(std::string(info.flag) + ": " + std::string(info.name) +
                     " must be " + std::string(info.interval) + "; got " +
                     info.format(params));
  }
}

void set_params(Params& params, const CommandLine& line) {
  for (const GivenOption& given : line.options) {
    const ParamInfo* info = given.option->param;
    if (info == nullptr || info->name == "initialWeights") continue;
    try {
      set_param(params, *info,
                given.option->is_switch() ? "true" : given.value);
    } catch (const ParamError& error) {
      rethrow_with_flag(error);
    }
    const bool is_empty_list = info->format(params).empty();
    if (is_empty_list) {
      refuse_value(given.option->name, info->interval, given.value);
    }
  }
}

void read_initial_weights(Params& params, const CommandLine& line) {
  const auto file = line.value("initial-weights");
  if (!file) return;
  InitialWeightsFile weights = read_initial_weights_file(*file);
  params.initial_weights = std::move(weights.weights);
  if (params.layers.empty()) params.layers = std::move(weights.layers);
}

void read_partitions(TrainOptions& options, const CommandLine& line) {
  const auto count = line.value("partitions");
  const auto sizes = line.value("partition-sizes");
  if (count && sizes) {
    throw ParamError(
        "--partitions: cannot be had with --partition-sizes; give one of them");
  }
  if (count) {
    const auto number = parse_int(*count);
    if (!number || *number < 1 || *number > datasets::kMaxPartitions) {
      refuse_value(
          "partitions",
          "an integer of 1 to " + std::to_string(datasets::kMaxPartitions),
          *count);
    }
    options.num_partitions = *number;
  }
  if (!sizes) return;
  auto list = mlp::detail::parse_list<Index>(*sizes, parse_int);
  bool is_valid = list && !list->empty();
  if (is_valid) {
    for (const Index size : *list) is_valid = is_valid && size >= 0;
  }
  if (!is_valid) {
    refuse_value("partition-sizes", "integers >= 0, parted by commas", *sizes);
  }
  options.partition_sizes = std::move(*list);
}

void read_split(TrainOptions& options, const CommandLine& line) {
  const auto text = line.value("split");
  if (!text) return;
  auto weights = mlp::detail::parse_list<double>(*text, parse_double);
  const bool is_valid = weights && weights->size() == 2 &&
                        (*weights)[0] > 0.0 && (*weights)[1] > 0.0 &&
                        std::isfinite((*weights)[0] + (*weights)[1]);
  if (!is_valid) {
    refuse_value("split", "two numbers > 0, the shares of training and testing",
                 *text);
  }
  options.split = std::move(*weights);
}

void read_seed_hash(Params& params, const CommandLine& line) {
  const std::string era = line.value("seed-hash").value_or("3");
  if (era != "2" && era != "3") {
    refuse_value("seed-hash", "3 or 2, an era of Spark", era);
  }
  params.seed_hash = era == "2" ? SeedHash::kSpark2 : SeedHash::kSpark3;
}

Precision read_precision(const CommandLine& line) {
  const std::string name = line.value("precision").value_or("float64");
  for (const Precision precision : {Precision::kFloat64, Precision::kFloat32}) {
    if (name == precision_name(precision)) return precision;
  }
  refuse_value("precision", "float64 or float32", name);
}

/// Reads 30s, 5m, 1h or a number of iterations.
void read_checkpoint_every(CheckpointFlags& options, const std::string& text) {
  constexpr std::string_view kUnits = "smh";
  constexpr double kSeconds[] = {1.0, 60.0, 3600.0};
  const std::size_t unit =
      text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit == kUnits.npos) {
    const auto count = parse_int(text);
    if (count && *count >= 1) {
      options.every_iterations = *count;
      return;
    }
  } else {
    const auto number = parse_double(text.substr(0, text.size() - 1));
    if (number && *number >= 0.0) {
      options.every_seconds = *number * kSeconds[unit];
      return;
    }
  }
  refuse_value("checkpoint-every",
               "a time such as 30s, 5m or 1h, or a number of iterations >= 1",
               text);
}

CheckpointFlags read_checkpoint_flags(const CommandLine& line) {
  CheckpointFlags options;
  options.file = line.value("checkpoint").value_or("");
  options.is_resuming = line.has("resume");
  const auto every = line.value("checkpoint-every");
  if (options.file.empty() && (options.is_resuming || every)) {
    throw ParamError(
        std::string(options.is_resuming ? "--resume" : "--checkpoint-every") +
        ": needs the file of the state; add --checkpoint FILE");
  }
  if (every) read_checkpoint_every(options, *every);
  return options;
}

void read_validation(TrainOptions& options, const CommandLine& line) {
  const auto text = line.value("validation");
  if (!text) return;
  const auto share = parse_double(*text);
  if (!share) {
    options.validation_file = *text;
    return;
  }
  if (!(*share > 0.0 && *share < 1.0)) {
    refuse_value("validation", "a share > 0 and < 1, or a file", *text);
  }
  options.validation_share = *share;
}

/// Reads the model of --warm-start, and takes the network from it where no flag
/// says otherwise.
void read_warm_start(TrainOptions& options, const CommandLine& line) {
  const auto file = line.value("warm-start");
  if (!file) return;
  options.warm_start_file = *file;
  options.warm_start = load_model(*file).model;
  Params network;
  take_network(options.warm_start->topology(), network);
  Params& params = options.params;
  if (!line.has("layers")) params.layers = network.layers;
  if (!line.has("activation")) params.activation = network.activation;
  if (!line.has("dropout")) params.dropout = network.dropout;
  if (!line.has("residual")) params.residual = network.residual;
  if (!line.has("batch-norm")) params.batch_norm = network.batch_norm;
  if (!line.has("task")) params.task = network.task;
  if (!line.has("label-smoothing")) {
    params.label_smoothing = network.label_smoothing;
  }
}

/// Refuses what needs the whole data where each rank has a file of its own.
void check_own_files(const TrainOptions& options) {
  if (!has_rank(options.data_file)) return;
  const auto refuse = [](bool is_given, const std::string& flag) {
    if (!is_given) return;
    throw ParamError(flag +
                     ": needs the whole data on every rank; give all ranks one "
                     "file, without {rank} in its name");
  };
  refuse(options.ranks.transport == Transport::kThreads, "--ranks by threads");
  refuse(options.ranks.is_reproducible, "--reproducible");
  refuse(options.is_standardizing, "--standardize");
  refuse(!options.split.empty(), "--split");
  refuse(options.validation_share > 0.0, "--validation");
  refuse(options.num_partitions > 1, "--partitions");
  refuse(!options.partition_sizes.empty(), "--partition-sizes");
  if (options.params.layers.empty()) {
    throw ParamError(
        "--layers: must be given where each rank has a file of its own, and "
        "knows the classes of its own rows only");
  }
}

}  // namespace

void validate_flags(const Params& params) {
  check_each(params);
  if (params.layers.empty()) return;
  try {
    validate(params);
  } catch (const ParamError& error) {
    rethrow_with_flag(error);
  }
}

double read_scale(const CommandLine& line) {
  const auto text = line.value("scale");
  if (!text) return 1.0;
  const auto scale = parse_double(*text);
  if (!scale || !(*scale > 0.0)) refuse_value("scale", "a number > 0", *text);
  return *scale;
}

TrainOptions read_train_options(const CommandLine& line) {
  TrainOptions options;
  options.data_file = line.arguments.front();
  options.given_data_file = options.data_file;
  options.label = line.value("label").value_or("");
  options.labels_file = line.value("labels").value_or("");
  options.model_file = line.value("out").value_or("");
  options.is_standardizing = line.has("standardize");
  options.scale = read_scale(line);
  if (!options.label.empty() && !options.labels_file.empty()) {
    throw ParamError("--label: cannot be had with --labels; give one of them");
  }
  if (options.model_file == "-" && line.has("json")) {
    throw ParamError(
        "--out: must be a file where --json takes standard output; got '-'");
  }
  set_params(options.params, line);
  read_warm_start(options, line);
  read_seed_hash(options.params, line);
  read_partitions(options, line);
  read_split(options, line);
  read_validation(options, line);
  options.weight = line.value("weight-col").value_or("");
  options.checkpoint = read_checkpoint_flags(line);
  options.ranks = read_rank_options(line);
  check_own_files(options);
  options.precision = read_precision(line);
  validate_flags(options.params);
  read_initial_weights(options.params, line);
  validate_flags(options.params);
  return options;
}

}  // namespace mlp::cli
