// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "folds.hpp"

#include <cstddef>
#include <set>

#include "../../../core/error.hpp"
#include "../../../datasets/group_split.hpp"
#include "../../../datasets/select.hpp"
#include "../../../datasets/stratified_split.hpp"

namespace mlp::cli {

namespace {

/// Divides the rows in folds. Labels that are no classes do not matter.
std::vector<std::vector<Index>> make_folds(const datasets::Dataset& data,
                                           const TrainOptions& options) {
  require_folds(data, options.num_folds);
  if (!data.groups.empty()) {
    return datasets::group_folds(data.groups, options.num_folds,
                                 options.params.seed, options.params.seed_hash);
  }
  const bool has_classes = options.params.task == Task::kClassification;
  return datasets::stratified_folds(
      has_classes ? data.labels : Vector(Vector::Zero(data.num_instances())),
      options.num_folds, options.params.seed, options.params.seed_hash);
}

/// Makes the data of one training: the instances of a fold are its test.
TrainingData cut_fold(const TrainingData& all, const std::vector<Index>& fold,
                      const TrainOptions& options,
                      const GlobalOptions& global) {
  std::vector<Index> others;
  auto next = fold.begin();
  for (Index i = 0; i < all.train.num_instances(); ++i) {
    if (next != fold.end() && *next == i) {
      ++next;
    } else {
      others.push_back(i);
    }
  }
  TrainingData data;
  data.train = datasets::select_within_partitions(all.train, others);
  data.test = datasets::select(all.train, fold);
  data.classes = all.classes;
  data.input_columns = all.input_columns;
  prepare_training_data(data, options, global);
  return data;
}

}  // namespace

void require_folds(const datasets::Dataset& data, Index num_folds) {
  const std::set<Index> groups(data.groups.begin(), data.groups.end());
  const auto count =
      groups.empty() ? data.num_instances() : static_cast<Index>(groups.size());
  if (count >= num_folds) return;
  throw DataError(data.source, "--folds " + std::to_string(num_folds) +
                                   " needs at least as many " +
                                   (groups.empty() ? "instances" : "groups") +
                                   "; got " + std::to_string(count));
}

std::optional<FoldScores> cross_validate(const TrainingData& all,
                                         const TrainOptions& options,
                                         const GlobalOptions& global,
                                         const StopSignal& signal,
                                         const FoldFit& fit) {
  const auto folds = make_folds(all.train, options);
  MetricsLimit limit(signal.flag());
  FoldScores scores;
  for (std::size_t i = 0; i < folds.size() && !*signal.flag(); ++i) {
    const std::string name =
        "fold " + std::to_string(i + 1) + " of " + std::to_string(folds.size());
    TrainingData data = cut_fold(all, folds[i], options, global);
    const Fit fitted = fit(data, name + ", ");
    if (*signal.flag()) break;
    if (fitted.divergence) {
      throw fitted.divergence->with_context(
          "--folds: the training of " + name + " diverged: ",
          "; no model was written");
    }
    scores.add(measure_quality(fitted.result.model,
                               TrainingInstances::view(*data.test), global,
                               limit));
    global.console.detail(name + ": " + scores.describe_last());
  }
  if (!*signal.flag()) return scores;
  global.console.note("stopped by " + signal_name(signal.received()) +
                      " during fold " +
                      std::to_string(scores.scores.size() + 1) + " of " +
                      std::to_string(folds.size()) + "; no model was saved");
  return std::nullopt;
}

}  // namespace mlp::cli
