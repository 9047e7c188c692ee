// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/load.hpp"
#include "../../datasets/partition.hpp"
#include "../../datasets/random_split.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../distributed/watched_allreduce.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../../mlp/network/topology.hpp"
#include "../console/csv_notes.hpp"
#include "../console/label_note.hpp"
#include "data_exchange.hpp"
#include "rank_group.hpp"

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
  return load;
}

datasets::Dataset read_labelled(const TrainOptions& options,
                                const GlobalOptions& global) {
  datasets::LoadedData loaded =
      datasets::load(options.data_file, load_options(options, global));
  note_guesses(global.console, loaded.dataset.source, loaded.guesses);
  note_label(global.console, loaded, options.label);
  if (!loaded.dataset.has_labels()) {
    throw DataError(loaded.dataset.source,
                    "has no labels; name the file that has them: --labels");
  }
  return std::move(loaded.dataset);
}

/// Refuses labels that are not numbers.
void refuse_texts(const datasets::Dataset& data) {
  if (data.label_texts.empty()) return;
  throw DataError(data.source,
                  "labels must be numbers for --task regression; some are "
                  "texts, such as " +
                      datasets::in_quotes(data.label_texts.front()));
}

/// Returns the names of the classes. They are taken from the model of
/// --warm-start if it knows every label and its last layer is kept.
datasets::LabelIndex choose_names(
    const std::vector<datasets::LabelCount>& labels,
    const TrainOptions& options) {
  if (options.warm_start && !options.warm_start->label_names().empty() &&
      options.warm_start->num_classes() == options.params.layers.back()) {
    const std::vector<std::string>& names = options.warm_start->label_names();
    const std::unordered_set<std::string_view> known(names.begin(),
                                                     names.end());
    const bool are_known = std::all_of(
        labels.begin(), labels.end(),
        [&](const auto& label) { return known.count(label.text) != 0; });
    if (are_known) return {names};
  }
  return datasets::LabelIndex::fit(labels);
}

void index_labels(TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options) {
  datasets::Dataset& train = data.train;
  if (options.params.task == Task::kRegression) {
    refuse_texts(train);
    data.num_classes = 1;
    return;
  }
  if (train.label_texts.empty()) {
    data.num_classes = totals.num_classes;
    return;
  }
  datasets::LabelIndex index = choose_names(totals.labels, options);
  train.labels = index.apply(train);
  train.label_texts.clear();
  data.num_classes = static_cast<Index>(index.names.size());
  data.label_names = std::move(index.names);
}

/// Refuses labels that are not classes, before a split changes the numbers of
/// the instances.
void check_classes(const TrainingData& data, const std::vector<Index>& layers,
                   Task task) {
  const datasets::Dataset& train = data.train;
  if (task == Task::kRegression) return;
  if (!layers.empty() && !data.label_names.empty() &&
      data.num_classes > layers.back()) {
    throw DataError(train.source,
                    "expected at most " + std::to_string(layers.back()) +
                        " classes for layers " + format_list(layers) +
                        ", got " + std::to_string(data.num_classes) + ": " +
                        datasets::quoted_list(data.label_names) +
                        "; end --layers with " +
                        std::to_string(data.num_classes));
  }
  if (!layers.empty()) {
    static_cast<void>(mlp::detail::check_labels(train, Topology(layers)));
    return;
  }
  for (Index i = 0; i < train.labels.size(); ++i) {
    const double label = train.labels[i];
    const bool is_class = label >= 0.0 && label == std::floor(label) &&
                          label < static_cast<double>(Topology::kMaxWidth);
    if (is_class) continue;
    mlp::detail::refuse_label(
        train, i,
        "integers from 0 to " + std::to_string(Topology::kMaxWidth - 1));
  }
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

/// Splits the training rows into two parts, as Spark's randomSplit does.
///
/// \param flag  the flag that asked for the split, for messages
datasets::Dataset split_off(datasets::Dataset& train,
                            const std::vector<double>& shares,
                            std::int64_t seed, SeedHash era,
                            const std::string& flag) {
  std::vector<datasets::Dataset> parts =
      datasets::random_split(train, shares, seed, era);
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
  load.csv.feature_names = data.train.feature_names;
  load.csv.num_features = data.train.num_features();
  load.csv.label_as_text = !data.label_names.empty();
  datasets::Dataset read =
      std::move(datasets::load(options.validation_file, load).dataset);
  if (options.params.task == Task::kRegression) refuse_texts(read);
  if (!data.label_names.empty()) {
    read.labels = datasets::LabelIndex{data.label_names}.apply(read);
    read.label_texts.clear();
  }
  return read;
}

void split(TrainingData& data, const TrainOptions& options,
           const GlobalOptions& global) {
  const Params& params = options.params;
  if (!options.split.empty()) {
    data.test = split_off(data.train, options.split, params.seed,
                          params.seed_hash, "--split");
  }
  if (!options.validation_file.empty()) {
    data.validation = read_validation(data, options, global);
  } else if (options.validation_share > 0.0) {
    const double share = options.validation_share;
    // A different seed, so that this split does not repeat the random numbers
    // of --split. The largest seed is followed by the smallest.
    const auto seed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(params.seed) + 1);
    data.validation = split_off(data.train, {1.0 - share, share}, seed,
                                params.seed_hash, "--validation");
  }
}

datasets::StandardScaler make_scaler(const TrainOptions& options,
                                     const datasets::Dataset& train) {
  if (options.is_standardizing) return datasets::StandardScaler::fit(train);
  return {Vector::Zero(train.num_features()),
          Vector::Constant(train.num_features(), options.scale)};
}

/// Standardising removes any earlier scaling, so --scale then has no effect. If
/// no flag gives a scaling, that of the model of --warm-start is used.
void scale(TrainingData& data, const TrainOptions& options) {
  const bool has_flag = options.is_standardizing || options.scale != 1.0;
  if (has_flag) {
    data.scaler = make_scaler(options, data.train);
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

/// Compares what the ranks read, and unites what each has in a file of its own.
///
/// \param is_part  each rank has a file of its own
DataTotals compare_ranks(const TrainOptions& options, datasets::Dataset& data,
                         distributed::Allreduce& group, bool is_part) {
  require_matching_data(options, data, group);
  if (!is_part) return totals_of(data);
  DataTotals totals = unite_totals(data, group);
  // A LIBSVM file may lack the last features of others.
  const Index num_own = data.num_features();
  data.features.conservativeResize(totals.num_features, Eigen::NoChange);
  data.features.bottomRows(totals.num_features - num_own).setZero();
  return totals;
}

}  // namespace

TrainingData load_training_data(const TrainOptions& options,
                                const GlobalOptions& global,
                                distributed::Allreduce* group) {
  TrainingData data;
  data.train = read_labelled(options, global);
  global.console.detail("read " + std::to_string(data.train.num_instances()) +
                        " instances of " +
                        std::to_string(data.train.num_features()) +
                        " features from " + data.train.source);
  std::optional<distributed::WatchedAllreduce> ranks;
  if (group) {
    ranks.emplace(*group, kStallSeconds, [&global](const std::string& report) {
      global.console.note(report);
    });
  }
  const bool is_part = group && has_rank(options.given_data_file);
  const DataTotals totals =
      group ? compare_ranks(options, data.train, *ranks, is_part)
            : totals_of(data.train);
  index_labels(data, totals, options);
  check_classes(data, options.params.layers, options.params.task);
  partition(data.train, options);
  split(data, options, global);
  data.num_instances = is_part ? std::accumulate(totals.sizes.begin(),
                                                 totals.sizes.end(), Index{0})
                               : data.train.num_instances();
  data.first_instances.features =
      is_part ? gather_first_features(data.train.features, totals.sizes,
                                      kNumFirstInstances, *ranks)
              : Matrix(data.train.features.leftCols(
                    std::min(kNumFirstInstances, data.num_instances)));
  scale(data, options);
  return data;
}

}  // namespace mlp::cli
