// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_data.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/column_encoder.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/load.hpp"
#include "../../datasets/partition.hpp"
#include "../../datasets/random_split.hpp"
#include "../../datasets/stratified_split.hpp"
#include "../../datasets/targets.hpp"
#include "../../distributed/watched_allreduce.hpp"
#include "../../mlp/training/standardized_fit.hpp"
#include "../data/class_labels.hpp"
#include "../data/csv_notes.hpp"
#include "../data/encoding_note.hpp"
#include "../data/label_note.hpp"
#include "../data/warm_columns.hpp"
#include "ranks/data_exchange.hpp"
#include "ranks/rank_group.hpp"
#include "training_files.hpp"

namespace mlp::cli {

namespace {

/// The number of instances that a model file stores for its self-test.
constexpr Index kNumFirstInstances = 3;

datasets::LoadOptions load_options(const TrainOptions& options,
                                   const GlobalOptions& global) {
  datasets::LoadOptions load;
  load.csv = options.csv;
  load.csv.num_threads = global.num_threads;
  load.csv.label = options.label;
  load.csv.weight = options.weight;
  load.labels_file = options.labels_file;
  options.encoding.apply(load.csv);
  if (!options.targets.empty()) {
    datasets::expect_targets(load.csv, options.targets);
  }
  return load;
}

/// Loads files, and makes targets of the label columns of --label.
datasets::LoadedData load_with_targets(const std::vector<std::string>& paths,
                                       const TrainOptions& options,
                                       const datasets::LoadOptions& load,
                                       const Console& console) {
  datasets::LoadedData loaded =
      load_table(paths, load, ReadFor::kTraining, console);
  if (!options.targets.empty()) datasets::take_targets(loaded);
  return loaded;
}

/// Loads the data files, and says who expects features that it lacks.
datasets::LoadedData load_for(const TrainOptions& options,
                              const datasets::LoadOptions& load,
                              const Console& console) {
  try {
    return load_with_targets(options.data, options, load, console);
  } catch (const DataError& error) {
    const std::string sentence = error.what();
    const bool lacks_feature =
        options.warm_start &&
        sentence.find("there is no column") != std::string::npos;
    if (!lacks_feature) throw;
    throw DataError(sentence +
                    "; the weights of --warm-start belong to these features");
  }
}

/// Reads the instances, and notes which column has the labels.
void read_labelled(TrainingData& data, const TrainOptions& options,
                   const GlobalOptions& global) {
  datasets::LoadedData loaded = read_data_file(options, global);
  if (!loaded.dataset.has_labels()) {
    throw DataError(loaded.dataset.source,
                    "has no labels; name the file that has them: --labels");
  }
  if (const auto& label = loaded.chosen_label) {
    data.label = {label->name, label->column};
  }
  data.train = std::move(loaded.dataset);
}

void partition(datasets::Dataset& data, const TrainOptions& options) {
  if (options.partition_sizes.empty()) {
    data.partition_sizes =
        datasets::even_partitions(data.num_instances(), options.num_partitions);
    return;
  }
  try {
    datasets::check_partition_sizes(options.partition_sizes,
                                    data.num_instances());
  } catch (const ParamError& error) {
    throw error.with_prefix("--partition-sizes: ");
  }
  data.partition_sizes = options.partition_sizes;
}

/// Splits the training rows into two parts, as Spark's randomSplit does or with
/// the same share of each class.
///
/// \param flag  the flag that asked for the split, for messages
datasets::Dataset split_off(datasets::Dataset& train,
                            const std::array<double, 2>& shares,
                            std::int64_t seed, const TrainOptions& options,
                            const std::string& flag) {
  const SeedHash era = options.params.seed_hash;
  std::array<datasets::Dataset, 2> parts;
  if (options.is_stratified) {
    parts = datasets::stratified_split(train, shares, seed, era);
  } else {
    auto drawn = datasets::random_split(train, shares, seed, era);
    std::move(drawn.begin(), drawn.end(), parts.begin());
  }
  for (const datasets::Dataset& part : parts) {
    if (part.num_instances() != 0) continue;
    throw DataError(train.source,
                    flag + " leaves " +
                        std::to_string(parts[0].num_instances()) +
                        " instances to train and " +
                        std::to_string(parts[1].num_instances()) +
                        " to test; expected 1 of each; use more data");
  }
  train = std::move(parts[0]);
  return std::move(parts[1]);
}

/// Reads the file of --validation; its labels become the same classes.
datasets::Dataset read_validation(const TrainingData& data,
                                  const TrainOptions& options,
                                  const GlobalOptions& global) {
  datasets::LoadOptions load = load_options(options, global);
  load.labels_file.clear();
  if (data.label != datasets::KnownLabel()) load.csv.label.clear();
  load.csv.known_label = data.label;
  if (!data.train.target_names.empty()) {
    datasets::expect_targets(load.csv, data.train.target_names);
  }
  load.csv.feature_names = data.train.feature_names;
  load.csv.num_features = data.train.num_features();
  if (!data.input_columns.empty()) load.csv.use_columns(data.input_columns);
  load.csv.one_hot = {};
  load.csv.label_as_text = !data.label_names.empty();
  datasets::Dataset read =
      std::move(load_with_targets({options.validation_file}, options, load,
                                  global.console)
                    .dataset);
  if (options.params.task == Task::kRegression) refuse_texts(read);
  if (!data.label_names.empty()) {
    read.labels = datasets::LabelIndex{data.label_names}.apply(read);
    read.label_texts.clear();
  }
  return read;
}

/// Splits off the rows for testing and validation, if no file has these.
void split(TrainingData& data, const TrainOptions& options) {
  const Params& params = options.params;
  if (!options.split.empty()) {
    check_split_file(data.train, options);
    data.test = split_off(data.train, {options.split[0], options.split[1]},
                          params.seed, options, "--split");
    if (!options.split_prefix.empty()) {
      data.split_lines = {data.train.lines, data.test->lines};
    }
  }
  if (options.validation_share > 0.0) {
    const double share = options.validation_share;
    // A different seed, so that this split does not repeat the random numbers
    // of --split. The largest seed is followed by the smallest.
    const auto seed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(params.seed) + 1);
    data.validation = split_off(data.train, {1.0 - share, share}, seed, options,
                                "--validation");
  }
}

/// Makes features of the columns: missing values are replaced by means of the
/// training rows only, and categories become features.
void encode_columns(TrainingData& data, const TrainOptions& options) {
  data.input_columns = columns_of_warm_start(options);
  if (data.train.columns.empty()) return;
  data.input_columns = data.train.columns;
  if (options.encoding.missing == datasets::MissingRule::kMean) {
    datasets::fit_missing_values(data.train, data.input_columns);
  }
  check_warm_columns(data.train.source, data.input_columns, options);
  datasets::encode(data.train, data.input_columns);
  if (data.test) datasets::encode(*data.test, data.input_columns);
  if (data.validation) datasets::encode(*data.validation, data.input_columns);
}

/// Makes the scaling that flags ask for. Standardising removes any earlier scaling,
/// so --scale then has no effect.
///
/// \param group  of ranks that each have a part of the instances; otherwise null
datasets::StandardScaler make_scaler(const TrainOptions& options,
                                     const datasets::Dataset& train,
                                     distributed::Allreduce* group) {
  if (options.is_standardizing) return fit_scaler(train, group);
  return {Vector::Zero(train.num_features()),
          Vector::Constant(train.num_features(), options.scale)};
}

/// Scales all features. If no flag gives a scaling, that of the model of
/// --warm-start is used.
///
/// \param group  of ranks that each have a part of the instances; otherwise null
void scale(TrainingData& data, const TrainOptions& options,
           distributed::Allreduce* group) {
  if (options.is_standardizing_labels) {
    data.label_scale = fit_label_scale(data.train, group);
  }
  const bool has_flag = options.is_standardizing || options.scale != 1.0;
  if (has_flag) {
    data.scaler = make_scaler(options, data.train, group);
  } else if (options.warm_start) {
    data.scaler = options.warm_start->scaler();
  }
  if (!data.scaler) return;
  const auto apply = [&](Matrix& features) {
    if (has_flag && !options.is_standardizing) {
      features /= options.scale;
    } else {
      data.scaler->apply(features);
    }
  };
  apply(data.train.features);
  if (data.test) apply(data.test->features);
  if (data.validation) apply(data.validation->features);
}

distributed::WatchedAllreduce watch_ranks(distributed::Allreduce& group,
                                          const GlobalOptions& global) {
  return {group, kStallSeconds, [&global](const std::string& report) {
            global.console.note(report);
          }};
}

/// Compares what the ranks read, and unites what each has in a file of its own.
///
/// \param is_part  each rank has a file of its own
DataTotals compare_ranks(const TrainOptions& options, datasets::Dataset& data,
                         distributed::Allreduce& group, bool is_part) {
  require_matching_data(options, data, group);
  const Task task = options.params.task;
  if (!is_part) return totals_of(data, task);
  DataTotals totals = unite_totals(data, task, group);
  // A LIBSVM file may lack the last features of others.
  const Index num_own = data.num_features();
  data.features.conservativeResize(totals.num_features, Eigen::NoChange);
  data.features.bottomRows(totals.num_features - num_own).setZero();
  return totals;
}

}  // namespace

datasets::LoadedData read_data_file(const TrainOptions& options,
                                    const GlobalOptions& global) {
  datasets::LoadOptions load = load_options(options, global);
  if (options.warm_start) expect_warm_columns(load.csv, *options.warm_start);
  const auto columns = columns_of_warm_start(options);
  if (!columns.empty()) load.csv.use_columns(columns);
  datasets::LoadedData loaded = load_for(options, load, global.console);
  note_guesses(global.console, loaded);
  note_label(global.console, loaded, options.label);
  warn_of_identifiers(global.console, loaded.dataset);
  return loaded;
}

TrainingData read_training_data(const TrainOptions& options,
                                const GlobalOptions& global,
                                distributed::Allreduce* group) {
  TrainingData data;
  read_labelled(data, options, global);
  global.console.detail("read " + std::to_string(data.train.num_instances()) +
                        " instances of " +
                        std::to_string(data.train.num_features()) +
                        " features from " + data.train.source);
  const bool is_part = group && options.has_own_data();
  const auto compare = [&] {
    auto ranks = watch_ranks(*group, global);
    return compare_ranks(options, data.train, ranks, is_part);
  };
  const DataTotals totals =
      group ? compare() : totals_of(data.train, options.params.task);
  if (is_part) data.rank_sizes = totals.sizes;
  data.weight_sum = totals.weight_sum;
  index_labels(data, totals, options, global.console);
  note_encoding(global.console, data.train.columns,
                options.encoding.one_hot.is_on());
  partition(data.train, options);
  return data;
}

void prepare_training_data(TrainingData& data, const TrainOptions& options,
                           const GlobalOptions& global,
                           distributed::Allreduce* group) {
  split(data, options);
  encode_columns(data, options);
  if (!options.validation_file.empty()) {
    data.validation = read_validation(data, options, global);
  }
  if (data.rank_sizes.empty()) {
    data.num_instances = data.train.num_instances();
    data.weight_sum = sum_weights(data.train);
    data.first_instances.features = data.train.features.leftCols(
        std::min(kNumFirstInstances, data.num_instances));
    return scale(data, options, nullptr);
  }
  auto ranks = watch_ranks(*group, global);
  data.num_instances =
      std::accumulate(data.rank_sizes.begin(), data.rank_sizes.end(), Index{0});
  data.first_instances.features = gather_first_features(
      data.train.features, data.rank_sizes, kNumFirstInstances, ranks);
  scale(data, options, &ranks);
}

TrainingData load_training_data(const TrainOptions& options,
                                const GlobalOptions& global,
                                distributed::Allreduce* group) {
  TrainingData data = read_training_data(options, global, group);
  prepare_training_data(data, options, global, group);
  return data;
}

}  // namespace mlp::cli
