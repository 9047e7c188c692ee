// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../datasets/label_index.hpp"
#include "../datasets/load.hpp"
#include "../datasets/partition.hpp"
#include "../datasets/quoted.hpp"
#include "../datasets/random_split.hpp"
#include "../datasets/select.hpp"
#include "../mlp/classifier.hpp"
#include "../mlp/topology.hpp"
#include "label_note.hpp"

namespace mlp::cli {

namespace {

/// As many as a model file stores for its self-test.
constexpr Index kNumFirstInstances = 3;

datasets::Dataset read_labelled(const TrainOptions& options,
                                const GlobalOptions& global) {
  datasets::LoadOptions load;
  load.csv.num_threads = global.num_threads;
  load.csv.label = options.label;
  load.labels_file = options.labels_file;
  datasets::LoadedData loaded = datasets::load(options.data_file, load);
  note_label(global.console, loaded, options.label);
  if (!loaded.dataset.has_labels()) {
    throw DataError(loaded.dataset.source,
                    "has no labels; name the file that has them: --labels");
  }
  return std::move(loaded.dataset);
}

/// One more than the largest label; labels that are no classes are left to the
/// training, which refuses them.
Index count_classes(const datasets::Dataset& data) {
  const double largest = data.labels.size() == 0 ? 0.0 : data.labels.maxCoeff();
  const auto limit = static_cast<double>(Topology::kMaxWidth);
  return static_cast<Index>(std::floor(std::clamp(largest, 0.0, limit - 1.0))) +
         1;
}

void index_labels(TrainingData& data) {
  datasets::Dataset& train = data.train;
  if (train.label_texts.empty()) {
    data.num_classes = count_classes(train);
    return;
  }
  datasets::LabelIndex index = datasets::LabelIndex::fit(train.label_texts);
  train.labels = index.apply(train);
  train.label_texts.clear();
  data.num_classes = static_cast<Index>(index.names.size());
  data.label_names = std::move(index.names);
}

/// Refuses labels that are no classes, before a split gives the instances other
/// numbers.
void check_classes(const TrainingData& data, const std::vector<Index>& layers) {
  const datasets::Dataset& train = data.train;
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
    throw ParamError("--partition-sizes: " + std::string(error.what()));
  }
  data.partition_sizes = options.partition_sizes;
}

void split(TrainingData& data, const TrainOptions& options) {
  if (options.split.empty()) return;
  std::vector<datasets::Dataset> parts = datasets::random_split(
      data.train, options.split, options.params.seed, options.params.seed_hash);
  for (const datasets::Dataset& part : parts) {
    if (part.num_instances() != 0) continue;
    throw DataError(data.train.source,
                    "--split leaves " +
                        std::to_string(parts[0].num_instances()) +
                        " instances to train and " +
                        std::to_string(parts[1].num_instances()) +
                        " to test; expected 1 of each; use more data");
  }
  data.train = std::move(parts[0]);
  data.test = std::move(parts[1]);
}

datasets::StandardScaler make_scaler(const TrainOptions& options,
                                     const Matrix& features) {
  if (options.is_standardizing) {
    return datasets::StandardScaler::fit(features);
  }
  return {Vector::Zero(features.rows()),
          Vector::Constant(features.rows(), options.scale)};
}

/// Standardising undoes any scale that came before: --scale then adds nothing.
void scale(TrainingData& data, const TrainOptions& options) {
  if (!options.is_standardizing && options.scale == 1.0) return;
  data.scaler = make_scaler(options, data.train.features);
  const auto apply = [&](Matrix& features) {
    if (options.is_standardizing) {
      data.scaler->apply(features);
    } else {
      features /= options.scale;
    }
  };
  apply(data.train.features);
  if (data.test) apply(data.test->features);
}

datasets::Dataset take_first(const datasets::Dataset& data) {
  std::vector<Index> instances(static_cast<std::size_t>(
      std::min(kNumFirstInstances, data.num_instances())));
  std::iota(instances.begin(), instances.end(), Index{0});
  return datasets::select(data, instances);
}

}  // namespace

TrainingData load_training_data(const TrainOptions& options,
                                const GlobalOptions& global) {
  TrainingData data;
  data.train = read_labelled(options, global);
  global.console.detail("read " + std::to_string(data.train.num_instances()) +
                        " instances of " +
                        std::to_string(data.train.num_features()) +
                        " features from " + data.train.source);
  index_labels(data);
  check_classes(data, options.params.layers);
  partition(data.train, options);
  split(data, options);
  data.first_instances = take_first(data.train);
  scale(data, options);
  return data;
}

}  // namespace mlp::cli
