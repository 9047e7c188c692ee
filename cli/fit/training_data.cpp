// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_data.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "../../core/error.hpp"
#include "../../datasets/column_encoder.hpp"
#include "../../datasets/column_features.hpp"
#include "../../datasets/group_split.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/load/store_wide.hpp"
#include "../../datasets/load/targets.hpp"
#include "../../datasets/partition.hpp"
#include "../../datasets/random_split.hpp"
#include "../../datasets/stratified_split.hpp"
#include "../../mlp/model/scoring_columns.hpp"
#include "../../mlp/training/fit/encoded_fit.hpp"
#include "../../mlp/training/fit/standardized_fit.hpp"
#include "../../mlp/training/training_warnings.hpp"
#include "../data/data_file.hpp"
#include "../data/data_notes.hpp"
#include "training_files.hpp"

namespace mlp::cli {

namespace {

void partition(datasets::Dataset& data, const TrainOptions& options) {
  if (options.partitions_are_files) {
    data.partition_sizes = datasets::file_partitions(data);
    return;
  }
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

/// Splits the training rows into two parts: as Spark's randomSplit does, with the same
/// share of each class, or with whole groups.
///
/// \param flag  the flag that asked for the split, for messages
datasets::Dataset split_off(datasets::Dataset& train,
                            const std::array<double, 2>& shares,
                            std::int64_t seed, const TrainOptions& options,
                            const std::string& flag) {
  const SeedHash era = options.params.seed_hash;
  std::array<datasets::Dataset, 2> parts;
  if (!train.groups.empty()) {
    parts = datasets::group_split(train, shares, seed, era);
  } else if (options.is_stratified) {
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

/// Returns the columns of the file of --validation: those of the training, or numbers
/// that are filled as in rows that the model scores. Empty if no value may be missing.
std::vector<datasets::InputColumn> validation_columns(
    const TrainingData& data, const TrainOptions& options) {
  if (!data.input_columns.empty()) return data.input_columns;
  if (options.csv.missing == datasets::MissingRule::kDrop) return {};
  // Ranks with files of their own do not know the means of all rows yet.
  if (options.has_own_data()) return {};
  const std::vector<std::string>& names = data.train.feature_names;
  if (options.is_standardizing) {
    return scoring_columns(fit_scaler(data.train, nullptr), names);
  }
  const bool keeps_scaler = options.warm_start && options.scale == 1.0 &&
                            options.warm_start->scaler();
  if (!keeps_scaler) return {};
  return scoring_columns(*options.warm_start->scaler(), names);
}

/// Reads the file of --validation; its labels become the same classes.
datasets::Dataset read_validation(const TrainingData& data,
                                  const TrainOptions& options,
                                  const GlobalOptions& global) {
  datasets::LoadOptions load = load_options(options, global.num_threads);
  load.labels_file.clear();
  if (data.label != datasets::KnownLabel()) load.csv.label.clear();
  load.csv.known_label = data.label;
  if (!data.train.target_names.empty()) {
    datasets::expect_targets(load.csv, data.train.target_names);
  }
  load.csv.feature_names = data.train.feature_names;
  load.csv.num_features = data.train.num_features();
  // With a header, the features are found by their names.
  if (data.train.feature_names.empty()) {
    for (const datasets::LeftOutColumn& column : data.left_out) {
      load.csv.ignored.push_back(column.name);
    }
  }
  const auto columns = validation_columns(data, options);
  if (!columns.empty()) load.csv.use_columns(columns);
  // Without columns, nothing replaces a missing value.
  const bool refuses_missing = columns.empty() && load.csv.is_missing_default;
  if (refuses_missing) load.csv.missing = datasets::MissingRule::kRefuse;
  load.csv.one_hot = {};
  load.csv.label_as_text = !data.classes.names.empty();
  datasets::Dataset read =
      std::move(load_with_targets({options.validation_file}, options, load,
                                  global.console)
                    .dataset);
  if (options.params.task == Task::kRegression) refuse_texts(read);
  if (!data.classes.names.empty()) {
    read.labels = datasets::LabelIndex{data.classes.names}.apply(read);
    read.label_texts.clear();
  } else if (data.classes.count == 2) {
    datasets::index_truth_values(read);
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

/// Moves features to a file whose encoding needs more memory than they may take.
void store_wide(TrainingData& data, Index num_encoded,
                const TrainOptions& options, const Console& console) {
  for (datasets::Dataset* const part :
       {&data.train, data.test ? &*data.test : nullptr,
        data.validation ? &*data.validation : nullptr}) {
    if (part == nullptr) continue;
    const auto note = datasets::store_wide(*part, num_encoded, options.store);
    if (!note) continue;
    note_store(console, *part, *note);
    data.stored = note;
  }
}

/// Makes features of the columns: missing values are replaced by means of the
/// training rows only, and categories become features.
void encode_columns(TrainingData& data, const TrainOptions& options,
                    const Console& console) {
  choose_columns(data, options, console);
  if (data.train.columns.empty()) return;
  datasets::recode(data.train, data.input_columns);
  if (options.csv.missing == datasets::MissingRule::kMean) {
    datasets::fit_missing_values(data.train, data.input_columns);
  }
  check_warm_columns(data.train.source, data.input_columns, options);
  if (options.preset == Preset::kModern) {
    data.train.are_indicators =
        datasets::indicator_features(data.input_columns);
  }
  store_wide(data, datasets::count_features(data.input_columns), options,
             console);
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

/// Encodes the numbers of all features if the flags ask for it, by the rows to train on
/// or as the model of --warm-start does. The bins are of features that are not scaled.
void encode_numbers(TrainingData& data, const TrainOptions& options,
                    const Console& console) {
  if (!options.params.numeric_encoding.is_quantile()) return;
  if (!options.has_scale && !data.scaler) {
    data.scale_warning = warn_of_scale(data.train);
  }
  data.encoder =
      fit_encoder(data.train, options.params,
                  options.warm_start ? &*options.warm_start : nullptr);
  store_wide(data, data.encoder->num_values(), options, console);
  data.encoder->encode(data.train);
  if (data.test) data.encoder->encode(*data.test);
  if (data.validation) data.encoder->encode(*data.validation);
}

}  // namespace

TrainingData read_instances(const TrainOptions& options,
                            const GlobalOptions& global) {
  datasets::LoadedData loaded = read_data_file(options, global);
  if (!loaded.dataset.has_labels()) {
    throw DataError(loaded.dataset.source,
                    "has no labels; name the file that has them: --labels");
  }
  TrainingData data;
  if (const auto& label = loaded.chosen_label) {
    data.label = {label->name, label->column};
  }
  data.has_header = loaded.has_header;
  data.left_out = std::move(loaded.left_out);
  data.stored = std::move(loaded.stored);
  data.train = std::move(loaded.dataset);
  global.console.detail("read " + std::to_string(data.train.num_instances()) +
                        " instances of " +
                        std::to_string(data.train.num_features()) +
                        " features from " + data.train.source);
  return data;
}

void index_and_partition(TrainingData& data, const DataTotals& totals,
                         const TrainOptions& options, const Console& console) {
  data.weight_sum = totals.weight_sum;
  data.classes = index_labels(data.train, totals, options, console);
  partition(data.train, options);
}

void choose_columns(TrainingData& data, const TrainOptions& options,
                    const Console& console) {
  if (!data.input_columns.empty()) return;
  const datasets::CsvOptions& csv = options.csv;
  data.input_columns = columns_of_warm_start(options);
  if (data.input_columns.empty()) {
    data.input_columns = datasets::choose_features(
        data.train,
        {csv.marks_missing, csv.unknown == datasets::UnknownRule::kOther});
  }
  note_encoding(
      console,
      data.train.columns.empty() ? data.train.columns : data.input_columns,
      csv.one_hot.is_on() && !csv.one_hot.is_default);
}

TrainingData read_training_data(const TrainOptions& options,
                                const GlobalOptions& global) {
  TrainingData data = read_instances(options, global);
  index_and_partition(data, totals_of(data.train, options.params.task), options,
                      global.console);
  return data;
}

void split_and_encode(TrainingData& data, const TrainOptions& options,
                      const GlobalOptions& global) {
  split(data, options);
  encode_columns(data, options, global.console);
  if (!options.validation_file.empty()) {
    data.validation = read_validation(data, options, global);
  }
}

void scale(TrainingData& data, const TrainOptions& options,
           const Console& console, distributed::Allreduce* group) {
  if (options.is_standardizing_labels) {
    data.label_scale = fit_label_scale(data.train, group);
  }
  const bool has_flag = options.is_standardizing || options.scale != 1.0;
  if (has_flag) {
    data.scaler = make_scaler(options, data.train, group);
  } else if (options.warm_start) {
    data.scaler = options.warm_start->scaler();
  }
  const Index num_features = data.train.num_features();
  encode_numbers(data, options, console);
  if (!data.scaler) return;
  const auto apply = [&](datasets::Dataset& part) {
    if (has_flag && !options.is_standardizing) {
      datasets::divide_features(part, num_features, options.scale);
    } else {
      data.scaler->apply(part, num_features);
    }
  };
  apply(data.train);
  if (data.test) apply(*data.test);
  if (data.validation) apply(*data.validation);
}

void prepare_training_data(TrainingData& data, const TrainOptions& options,
                           const GlobalOptions& global) {
  split_and_encode(data, options, global);
  data.num_instances = data.train.num_instances();
  data.weight_sum = sum_weights(data.train);
  data.first_instances.features = data.train.first_features(kNumFirstInstances);
  if (options.effort == Effort::kQuick) {
    scale(data, options, global.console);
  }
}

}  // namespace mlp::cli
