// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../model/prediction.hpp"
#include "../model/scorer.hpp"
#include "../network/loss_formulas.hpp"
#include "calibration.hpp"
#include "merge_models.hpp"
#include "select_model.hpp"
#include "selection_folds.hpp"
#include "selection_plan.hpp"
#include "selection_run.hpp"
#include "selection_table.hpp"
#include "temperature.hpp"
#include "unseen_region.hpp"

namespace mlp {

namespace detail {

/// An encoding of the numbers and a size of the network, and their trainings so far.
struct Candidate {
  NumericEncoding encoding;
  std::shared_ptr<const SelectionTable> table;
  std::unique_ptr<SelectionRun> run;
  double loss = 0.0;  ///< at the penalty in the middle
};

/// Chooses the encoding and the size with which the folds predict their unseen rows
/// best, at the penalty in the middle.
class CandidateChoice {
 public:
  /// The arguments must outlive this object.
  CandidateChoice(const SelectionPlan& plan, const SelectionRun::Folds& folds,
                  ThreadPool& pool)
      : plan_(plan), folds_(folds), pool_(pool) {}

  void choose_encoding(const Params& params, const datasets::Dataset& data,
                       const FitOptions& options) {
    for (const NumericEncoding& encoding : plan_.encodings) {
      auto table = std::make_shared<const SelectionTable>(params, data, options,
                                                          encoding);
      if (best_.run && !table->has_own_values()) continue;
      try_candidate({encoding, std::move(table), nullptr},
                    plan_.widths.front());
      if (folds_.empty()) return;
    }
  }

  void choose_width() {
    if (folds_.empty()) return;
    const auto table = best_.table;
    for (std::size_t i = 1; i < plan_.widths.size(); ++i) {
      try_candidate({best_.encoding, table, nullptr}, plan_.widths[i]);
    }
  }

  /// Returns the multiplications of the candidates that were not chosen.
  [[nodiscard]] double num_multiplications_of_others() const {
    return num_multiplications_ - num_of_best_;
  }

  [[nodiscard]] const Candidate& best() const { return best_; }

 private:
  void try_candidate(Candidate next, double width) {
    next.run = std::make_unique<SelectionRun>(*next.table, folds_, plan_, pool_,
                                              width);
    const std::size_t middle = next.run->middle_penalty();
    const bool is_alone = plan_.encodings.size() * plan_.widths.size() == 1;
    if (!folds_.empty() && !is_alone) {
      next.loss = next.run->unseen(middle, middle).loss;
    }
    const double count = next.run->num_multiplications();
    num_multiplications_ += count;
    if (best_.run && !(next.loss < best_.loss)) return;
    best_ = std::move(next);
    num_of_best_ = count;
  }

  const SelectionPlan& plan_;
  const SelectionRun::Folds& folds_;
  ThreadPool& pool_;
  Candidate best_;
  double num_multiplications_ = 0.0;
  double num_of_best_ = 0.0;
};

/// Measures the predictions of the folds, divided by the temperature. Thresholds are
/// applied as the model applies them.
inline UnseenScores measure_unseen(const UnseenRows& rows, const Params& params,
                                   double temperature) {
  UnseenScores scores;
  scores.num_instances = rows.raw.cols();
  scores.loss = unseen_loss(rows, params.task, temperature);
  if (params.task == Task::kRegression) {
    // R2 of labels that are all equal is 0, whatever is predicted.
    const auto& targets = rows.targets;
    const bool is_constant = (targets.colwise() - targets.col(0)).isZero(0.0);
    if (is_constant) scores.loss = 1.0;
    return scores;
  }
  Matrix probability = rows.raw / temperature;
  double num_right = 0.0;
  for (Index i = 0; i < probability.cols(); ++i) {
    softmax(probability.col(i));
    const Index predicted =
        params.thresholds.empty()
            ? argmax(probability.col(i))
            : argmax_by_thresholds(probability.col(i), params.thresholds);
    if (static_cast<double>(predicted) == rows.targets(0, i)) {
      num_right += rows.weights[i];
    }
  }
  scores.accuracy = num_right / rows.weights.sum();
  scores.calibration_error = expected_calibration_error(
      probability, Vector(rows.targets.row(0).transpose()), rows.weights);
  return scores;
}

/// Gives a model the intervals or sets that follow from unseen rows.
///
/// \param deviation  of the labels of a regression   [num_outputs]
/// \return how they cover these rows
inline Coverage set_region(Model& model, const UnseenRows& rows,
                           const SelectionRun::Folds& folds,
                           const Vector& deviation, double coverage) {
  PredictedRows predicted{rows.raw, rows.targets, rows.weights};
  std::vector<Index> sizes;
  for (const auto& fold : folds) {
    sizes.push_back(static_cast<Index>(fold.size()));
  }
  if (!model.is_regressor()) {
    predicted.predictions = model.to_probability(rows.raw);
    const auto fit = [&](const PredictedRows& some) {
      return fit_prediction_set(some, coverage);
    };
    model.set_prediction_set(fit(predicted));
    return measure_by_folds(predicted, sizes, fit);
  }
  predicted.predictions.array().colwise() *= deviation.array();
  predicted.labels.array().colwise() *= deviation.array();
  const auto fit = [&](const PredictedRows& some) {
    return fit_prediction_interval(some, coverage);
  };
  model.set_prediction_interval(fit(predicted));
  return measure_by_folds(predicted, sizes, fit);
}

}  // namespace detail

FitResult select_model(const Params& params, const datasets::Dataset& data,
                       const FitOptions& options, const SelectionPlan& plan) {
  check_groups(data);
  ThreadPool pool(options.num_threads);
  const auto folds =
      selection_folds(params.task == Task::kClassification
                          ? data.labels
                          : Vector(Vector::Zero(data.num_instances())),
                      data.groups, training_weights(data, params),
                      plan.num_folds, params.seed, params.seed_hash);
  if (plan.coverage) check_coverage_rows(params.task, *plan.coverage, folds);
  detail::CandidateChoice choice(plan, folds, pool);
  choice.choose_encoding(params, data, options);
  choice.choose_width();
  const detail::Candidate& best = choice.best();
  SelectionRun& run = *best.run;
  const std::size_t penalty = run.choose_penalty();
  std::vector<FitResult> networks = run.train_networks(penalty);
  std::vector<Model> models;
  for (const FitResult& network : networks) models.push_back(network.model);
  FitResult selected = std::move(networks.front());
  selected.model = merge_models(models);
  SelectionReport& report = selected.selection.emplace();
  report.num_folds = static_cast<Index>(folds.size());
  report.num_networks = plan.num_networks;
  report.encoding = best.encoding;
  report.reg_param = run.with_penalty(penalty).reg_param;
  if (!folds.empty()) {
    UnseenRows unseen = run.finish_unseen(penalty);
    if (params.task == Task::kClassification) {
      report.temperature =
          fit_temperature(unseen.raw, Vector(unseen.targets.row(0).transpose()),
                          unseen.weights);
      selected.model = with_temperature(selected.model, report.temperature);
    }
    report.unseen = detail::measure_unseen(unseen, params, report.temperature);
    if (plan.coverage) {
      unseen.raw /= report.temperature;
      report.unseen.coverage = detail::set_region(
          selected.model, unseen, folds, run.label_deviation(), *plan.coverage);
    }
  }
  report.num_multiplications =
      choice.num_multiplications_of_others() + run.num_multiplications();
  best.table->complete(selected.model);
  return selected;
}

}  // namespace mlp
