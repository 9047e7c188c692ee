// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
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
  bool is_first = false;
};

/// Chooses the encoding and the size with which the folds predict their unseen rows
/// best, at the penalty in the middle.
class CandidateChoice {
 public:
  /// The arguments must outlive this object.
  CandidateChoice(const SelectionPlan& plan, const SelectionRun::Folds& folds,
                  ThreadPool& pool, SelectionBudget& budget)
      : plan_(plan), folds_(folds), pool_(pool), budget_(budget) {}

  /// Trains the first candidate on all rows. A multiple of its multiplications is the
  /// budget.
  ///
  /// \return the network, as SelectionRun::train_first()
  [[nodiscard]] FitResult begin(const Params& params,
                                const datasets::Dataset& data,
                                const FitOptions& options) {
    best_ = {plan_.encodings.front(),
             std::make_shared<const SelectionTable>(params, data, options,
                                                    plan_.encodings.front()),
             nullptr, 0.0, true};
    best_.run = std::make_unique<SelectionRun>(
        *best_.table, folds_, plan_, pool_, budget_, plan_.widths.front());
    FitResult network = best_.run->train_first();
    budget_.limit(max_multiple(plan_) * budget_.spent());
    return network;
  }

  void choose_encoding(const Params& params, const datasets::Dataset& data,
                       const FitOptions& options) {
    if (folds_.empty()) return;
    const bool is_alone = plan_.encodings.size() * plan_.widths.size() == 1;
    if (!is_alone) best_.loss = loss_of(best_);
    for (std::size_t i = 1; i < plan_.encodings.size(); ++i) {
      const NumericEncoding& encoding = plan_.encodings[i];
      auto table = std::make_shared<const SelectionTable>(params, data, options,
                                                          encoding);
      if (!table->has_own_values()) continue;
      try_candidate({encoding, std::move(table), nullptr},
                    plan_.widths.front());
    }
  }

  void choose_width() {
    if (folds_.empty()) return;
    const auto table = best_.table;
    for (std::size_t i = 1; i < plan_.widths.size(); ++i) {
      try_candidate({best_.encoding, table, nullptr}, plan_.widths[i]);
    }
  }

  [[nodiscard]] const Candidate& best() const { return best_; }

  /// Returns the best one without bins if best() has bins, and with bins if it has none;
  /// nothing if none was tried.
  [[nodiscard]] const std::optional<Candidate>& other() const { return other_; }

  [[nodiscard]] const SelectionPlan& plan() const { return plan_; }
  [[nodiscard]] const SelectionRun::Folds& folds() const { return folds_; }

 private:
  void try_candidate(Candidate next, double width) {
    next.run = std::make_unique<SelectionRun>(*next.table, folds_, plan_, pool_,
                                              budget_, width);
    if (!next.run->can_try()) return;
    next.loss = loss_of(next);
    if (next.loss < best_.loss) std::swap(next, best_);
    const auto has_bins = [](const Candidate& one) {
      return one.encoding.is_quantile();
    };
    if (has_bins(next) == has_bins(best_)) return;
    const bool is_better = !other_ || has_bins(*other_) == has_bins(best_) ||
                           next.loss < other_->loss;
    if (is_better) other_ = std::move(next);
  }

  /// Returns the loss of the unseen rows at the penalty in the middle.
  [[nodiscard]] static double loss_of(const Candidate& candidate) {
    const std::size_t middle = candidate.run->middle_penalty();
    return candidate.run->unseen(middle, middle).loss;
  }

  const SelectionPlan& plan_;
  const SelectionRun::Folds& folds_;
  ThreadPool& pool_;
  SelectionBudget& budget_;
  Candidate best_;
  std::optional<Candidate> other_;
};

/// A candidate at the penalty that its folds chose.
struct Finalist {
  const Candidate* candidate = nullptr;
  std::size_t penalty = 0;
  UnseenRows unseen;
  Index num_networks = 0;

  [[nodiscard]] bool is_first() const {
    return candidate->is_first && penalty == candidate->run->middle_penalty();
  }

  [[nodiscard]] double reg_param() const {
    return candidate->run->with_penalty(penalty).reg_param;
  }

  /// Returns the weights of all its networks.
  [[nodiscard]] double num_weights() const {
    return static_cast<double>(num_networks) * candidate->run->num_weights();
  }
};

/// Returns how many of the networks read another encoding than the others, if any do.
inline Index num_other_networks(Index num_networks) {
  return 2 * num_networks / 5;
}

/// Returns true if the networks of two candidates side by side stay small: those without
/// bins have more units, and then have weights for the bins, too.
inline bool may_join(const Candidate& best, const Candidate& other,
                     Index num_networks) {
  constexpr double kMostWeights = 1e6;
  const std::vector<Index> a = best.run->with_penalty(0).layers;
  const std::vector<Index> b = other.run->with_penalty(0).layers;
  const Index num_others = num_other_networks(num_networks);
  double num_weights = 0.0;
  for (std::size_t k = 1; k < a.size(); ++k) {
    const Index units = (num_networks - num_others) * a[k] + num_others * b[k];
    const Index inputs = k == 1 ? std::max(a[0], b[0]) : units;
    num_weights += static_cast<double>(inputs) * static_cast<double>(units);
  }
  return num_weights <= kMostWeights;
}

/// Gives the second finalist, if there is one, two fifths of the networks if the mean of
/// raw predictions then suits the unseen rows better.
///
/// \return the mean
inline UnseenRows share_networks(std::vector<Finalist>& finalists,
                                 Index num_networks, Task task) {
  Finalist& first = finalists.front();
  first.num_networks = num_networks;
  const Index num_others = num_other_networks(num_networks);
  if (finalists.size() > 1) {
    const double share =
        static_cast<double>(num_others) / static_cast<double>(num_networks);
    UnseenRows mean = first.unseen;
    mean.raw += share * (finalists.back().unseen.raw - first.unseen.raw);
    mean.loss = unseen_loss(mean, task);
    if (mean.loss < first.unseen.loss) {
      first.num_networks -= num_others;
      finalists.back().num_networks = num_others;
      return mean;
    }
    finalists.pop_back();
  }
  return first.unseen;
}

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

/// Lets the folds choose what is trained.
///
/// \param[out] unseen  what the mean of the networks predicts for unseen rows
/// \return one or two; those with bins first, so that the others read the first of their
///         features
inline std::vector<Finalist> choose_finalists(CandidateChoice& choice,
                                              const Params& params,
                                              const datasets::Dataset& data,
                                              const FitOptions& options,
                                              UnseenRows& unseen) {
  // Networks that are worse by more do not help the better ones.
  constexpr double kMostLoss = 1.1;
  choice.choose_encoding(params, data, options);
  choice.choose_width();
  SelectionRun& run = *choice.best().run;
  std::vector<Finalist> finalists{
      {&choice.best(), run.choose_penalty(), {}, 0}};
  if (!choice.folds().empty()) {
    finalists.front().unseen = run.finish_unseen(finalists.front().penalty);
  }
  const auto& other = choice.other();
  const SelectionPlan& plan = choice.plan();
  if (plan.joins_encodings && other && other->run->can_try() &&
      may_join(choice.best(), *other, plan.num_networks)) {
    const std::size_t penalty = other->run->choose_penalty();
    const double loss = other->run->unseen(penalty, penalty).loss;
    if (loss < kMostLoss * finalists.front().unseen.loss) {
      finalists.push_back(
          {&*other, penalty, other->run->finish_unseen(penalty), 0});
    }
  }
  unseen = share_networks(finalists, plan.num_networks, params.task);
  if (finalists.back().candidate->encoding.is_quantile()) {
    std::swap(finalists.front(), finalists.back());
  }
  return finalists;
}

/// Trains the networks of finalists on all rows. After a request to stop, they are those
/// that are complete.
///
/// \param[in,out] finalists  get the numbers of their networks
/// \throws optim::Interrupted if there is none
inline std::vector<FitResult> train_networks(std::vector<Finalist>& finalists,
                                             const FitResult& first) {
  double weights_behind = 0.0;
  for (const Finalist& one : finalists) weights_behind += one.num_weights();
  std::vector<FitResult> networks;
  for (Finalist& one : finalists) {
    weights_behind -= one.num_weights();
    auto some = one.candidate->run->train_networks(
        one.num_networks, one.penalty, one.is_first() ? &first : nullptr,
        weights_behind);
    one.num_networks = static_cast<Index>(some.size());
    std::move(some.begin(), some.end(), std::back_inserter(networks));
  }
  if (networks.empty()) throw optim::Interrupted();
  std::erase_if(finalists,
                [](const Finalist& one) { return one.num_networks == 0; });
  return networks;
}

/// Lets the folds choose, and trains the networks of the choice.
///
/// \param first  of CandidateChoice::begin()
/// \throws optim::Interrupted if it was stopped before a network was trained
inline FitResult select_by_folds(CandidateChoice& choice, const Params& params,
                                 const datasets::Dataset& data,
                                 const FitOptions& options,
                                 const FitResult& first) {
  SelectionReport report;
  report.num_folds = static_cast<Index>(choice.folds().size());
  UnseenRows unseen;
  std::vector<Finalist> finalists =
      choose_finalists(choice, params, data, options, unseen);
  if (report.num_folds > 0) {
    if (params.task == Task::kClassification) {
      report.temperature =
          fit_temperature(unseen.raw, Vector(unseen.targets.row(0).transpose()),
                          unseen.weights);
    }
    report.unseen = measure_unseen(unseen, params, report.temperature);
  }
  std::vector<FitResult> networks = train_networks(finalists, first);
  std::vector<Model> models;
  for (const FitResult& network : networks) models.push_back(network.model);
  report.num_networks = static_cast<Index>(models.size());
  report.encoding = finalists.front().candidate->encoding;
  report.reg_param = finalists.front().reg_param();
  if (finalists.size() > 1) {
    report.num_linear = finalists.back().num_networks;
    report.linear_reg_param = finalists.back().reg_param();
  }
  FitResult selected = std::move(networks.front());
  selected.model = with_temperature(merge_models(models), report.temperature);
  const auto& coverage = choice.plan().coverage;
  if (coverage && report.num_folds > 0) {
    unseen.raw /= report.temperature;
    report.unseen.coverage = set_region(
        selected.model, unseen, choice.folds(),
        finalists.front().candidate->run->label_deviation(), *coverage);
  }
  finalists.front().candidate->table->complete(selected.model);
  selected.selection = report;
  return selected;
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
  check_group_folds(data, folds);
  if (plan.coverage) check_coverage_rows(params.task, *plan.coverage, folds);
  SelectionBudget budget;
  detail::CandidateChoice choice(plan, folds, pool, budget);
  FitResult first = choice.begin(params, data, options);
  const auto first_table = choice.best().table;
  try {
    if (options.is_stopping && *options.is_stopping) throw optim::Interrupted();
    FitResult selected =
        detail::select_by_folds(choice, params, data, options, first);
    selected.selection->num_multiplications = budget.spent();
    return selected;
  } catch (const optim::Interrupted&) {
    first_table->complete(first.model);
    return first;
  }
}

}  // namespace mlp
