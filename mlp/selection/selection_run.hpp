// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/select.hpp"
#include "../../optim/stop_request.hpp"
#include "../model/model.hpp"
#include "../model/prediction.hpp"
#include "../model/scorer.hpp"
#include "../params/preset.hpp"
#include "../result/fit_result.hpp"
#include "../training/fit/fit_model.hpp"
#include "selection_budget.hpp"
#include "selection_plan.hpp"
#include "selection_table.hpp"

namespace mlp {

/// What the trainings of the folds predicted for the rows that they did not see, and
/// their models.
struct UnseenRows {
  /// [num_outputs x num_instances]; of a regressor, in deviations of the labels
  Matrix raw;

  /// Class indices, or numbers in deviations   [num_targets x num_instances]
  Matrix targets;

  /// As the training weighs them, with a mean of 1   [num_instances]
  Vector weights;

  std::vector<Model> models;  ///< [num_folds]
  double loss = 0.0;
};

/// Returns the weights by which a training counts instances.
[[nodiscard]] inline Vector training_weights(const datasets::Dataset& data,
                                             const Params& params) {
  Vector weights = data.weights;
  if (weights.size() == 0) weights = Vector::Ones(data.num_instances());
  if (params.class_weights.empty()) return weights;
  for (Index i = 0; i < weights.size(); ++i) {
    weights[i] *=
        params.class_weights[static_cast<std::size_t>(data.labels[i])];
  }
  return weights;
}

/// Computes the mean negative log likelihood, or the mean squared error in units of
/// the variance of the labels.
///
/// \param temperature  divides the raw predictions of a classifier
[[nodiscard]] inline double unseen_loss(const UnseenRows& rows, Task task,
                                        double temperature = 1.0) {
  double sum = 0.0;
  for (Index i = 0; i < rows.raw.cols(); ++i) {
    double loss = 0.0;
    if (task == Task::kRegression) {
      loss = (rows.raw.col(i) - rows.targets.col(i)).squaredNorm() /
             static_cast<double>(rows.raw.rows());
    } else {
      const Vector raw = rows.raw.col(i) / temperature;
      const double largest = raw.maxCoeff();
      loss = largest + std::log((raw.array() - largest).exp().sum()) -
             raw[static_cast<Index>(rows.targets(0, i))];
    }
    sum += rows.weights[i] * loss;
  }
  return sum / rows.weights.sum();
}

/// The trainings of a selection in one encoding of the numbers.
///
/// A training that is stopped throws optim::Interrupted.
class SelectionRun {
 public:
  using Folds = std::vector<std::vector<Index>>;

  /// \param table  must outlive the run
  /// \param width  factor of the sizes of the hidden layers
  /// \param folds  the instances of each fold, in increasing order; as plan, pool and
  ///               budget, they must outlive the run
  SelectionRun(const SelectionTable& table, const Folds& folds,
               const SelectionPlan& plan, ThreadPool& pool,
               SelectionBudget& budget, double width = 1.0)
      : table_(table),
        params_(with_width(table.params(), width)),
        folds_(folds),
        plan_(plan),
        pool_(pool),
        budget_(budget),
        num_weights_(static_cast<double>(topology_of(params_).num_weights())) {
    const FitOptions& options = table.options();
    if (table.params().task == Task::kRegression) {
      deviation_ = options.label_scale
                       ? options.label_scale->deviation
                       : fit_label_scale(table.data(), nullptr).deviation;
    }
  }

  /// Returns the position of the penalty that the folds are tried with first.
  [[nodiscard]] std::size_t middle_penalty() const {
    return plan_.penalties.size() / 2;
  }

  /// Returns the position of the best penalty of the plan.
  [[nodiscard]] std::size_t choose_penalty() {
    const std::size_t middle = middle_penalty();
    if (folds_.empty()) return middle;
    std::size_t best = middle;
    while (best > 0 && improves(best - 1, best)) --best;
    if (best != middle) return best;
    while (best + 1 < plan_.penalties.size() && improves(best + 1, best)) {
      ++best;
    }
    return best;
  }

  /// Trains one network on all rows, at the penalty in the middle, with all threads. A
  /// request to stop ends it as it ends a single training.
  [[nodiscard]] FitResult train_first() {
    FitOptions options = table_.options();
    options.on_iteration = nullptr;
    FitResult result =
        fit_model(with_penalty(middle_penalty()), table_.data(), options);
    spend(result, table_.data().num_instances());
    report_training();
    return result;
  }

  /// Trains networks of other seeds on all rows, or fewer if the budget is too small.
  ///
  /// \param count           at least 1
  /// \param first           the first network, if it is trained already, else null
  /// \param weights_behind  of networks that are trained after these, with as many
  ///                        evaluations
  /// \return those that are trained: after a request to stop fewer, or none
  [[nodiscard]] std::vector<FitResult> train_networks(Index count,
                                                      std::size_t penalty,
                                                      const FitResult* first,
                                                      double weights_behind) {
    const Index num_trained = first ? 1 : 0;
    const auto limit = [&] {
      const auto num_others =
          static_cast<double>(std::max<Index>(count - num_trained, 1));
      return budget_.num_evaluations(
          1.0, (num_others * num_weights_ + weights_behind) *
                   static_cast<double>(table_.data().num_instances()));
    };
    while (count > 1 && limit() < kLeastEvaluationsOfNetworks) --count;
    std::vector<std::optional<FitResult>> results(
        static_cast<std::size_t>(count));
    if (first) results.front() = *first;
    Params params = with_penalty(penalty);
    FitOptions options = options_of_one();
    limit_evaluations(params, options, std::max<Index>(limit(), 1));
    try {
      pool_.parallel_for(count - num_trained, [&](Index task, int /*thread*/) {
        const Index i = num_trained + task;
        results[static_cast<std::size_t>(i)] =
            fit(with_seed(params, i), table_.data(), options);
      });
    } catch (const optim::Interrupted&) {
      // Those that are complete are a model.
    }
    std::vector<FitResult> networks;
    for (auto& result : results) {
      if (!result) continue;
      const bool is_counted = first && networks.empty();
      if (!is_counted) spend(*result, table_.data().num_instances());
      networks.push_back(std::move(*result));
    }
    return networks;
  }

  /// Returns true if the budget lets the folds try something else.
  [[nodiscard]] bool can_try() const {
    return num_evaluations_of_folds(kShareOfChoice) >= kLeastEvaluationsOfFolds;
  }

  /// Returns what the folds predict with a penalty.
  ///
  /// \param near  a penalty from whose networks the trainings start; the same one for
  ///              new networks
  [[nodiscard]] const UnseenRows& unseen(std::size_t penalty,
                                         std::size_t near) {
    const auto found = unseen_.find(penalty);
    if (found != unseen_.end()) return found->second;
    Params params = with_penalty(penalty);
    // Other solvers would go on where they were stopped, which is not to converge.
    const bool is_warm = near != penalty && params.solver == Solver::kLbfgs;
    const std::vector<Model>* const start =
        is_warm ? &unseen(near, near).models : nullptr;
    params.max_iter = std::min(params.max_iter, plan_.max_fold_iterations);
    const Index limit = num_evaluations_of_folds(kShareOfChoice);
    UnseenRows rows = train_folds(params, std::max<Index>(limit, 1), start);
    rows.loss = unseen_loss(rows, params.task);
    return unseen_.emplace(penalty, std::move(rows)).first->second;
  }

  /// Returns what the folds predict with a penalty after more iterations.
  [[nodiscard]] UnseenRows finish_unseen(std::size_t penalty) {
    Params params = with_penalty(penalty);
    const UnseenRows& before = unseen(penalty, penalty);
    const Index limit = num_evaluations_of_folds(kShareOfFolds);
    if (params.max_iter <= plan_.max_fold_iterations || limit == 0) {
      return before;
    }
    params.max_iter = std::min(params.max_iter, plan_.max_last_iterations);
    const bool is_warm = params.solver == Solver::kLbfgs;
    UnseenRows rows =
        train_folds(params, limit, is_warm ? &before.models : nullptr);
    rows.loss = unseen_loss(rows, params.task);
    return rows;
  }

  [[nodiscard]] Params with_penalty(std::size_t penalty) const {
    Params params = params_;
    const double factor = plan_.penalties[penalty];
    if (factor == 1.0 || params.reg_param == 0.0) return params;
    params.reg_param = round_to_two_digits(factor * params.reg_param);
    return params;
  }

  /// Returns the number of weights of a network.
  [[nodiscard]] double num_weights() const { return num_weights_; }

  /// Returns the deviation of the labels of a regression   [num_outputs]
  [[nodiscard]] const Vector& label_deviation() const { return deviation_; }

 private:
  /// Returns true if the unseen rows are better with a penalty than with the one
  /// beside it.
  [[nodiscard]] bool improves(std::size_t penalty, std::size_t near) {
    if (!can_try()) return false;
    const double loss = unseen(near, near).loss;
    return unseen(penalty, near).loss < loss;
  }

  /// Returns the options of each of several trainings at the same time.
  [[nodiscard]] FitOptions options_of_one() const {
    FitOptions options = table_.options();
    options.num_threads = 1;
    options.on_iteration = nullptr;
    return options;
  }

  /// Returns the hyper-parameters of the i-th network.
  [[nodiscard]] static Params with_seed(Params params, Index i) {
    params.seed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(params.seed) +
                                  static_cast<std::uint64_t>(i));
    return params;
  }

  /// Trains a model.
  ///
  /// \throws optim::Interrupted if it was stopped
  [[nodiscard]] FitResult fit(const Params& params,
                              const datasets::Dataset& data,
                              const FitOptions& options) const {
    FitResult result = fit_model(params, data, options);
    if (options.is_stopping && *options.is_stopping) throw optim::Interrupted();
    report_training();
    return result;
  }

  void report_training() const {
    if (!plan_.on_training) return;
    const std::lock_guard lock(mutex_);
    plan_.on_training();
  }

  /// Trains a model without each fold, and predicts the rows of that fold.
  ///
  /// \param num_evaluations  the most of each training, >= 1
  /// \param start  the models from which the trainings start [num_folds], or null
  [[nodiscard]] UnseenRows train_folds(Params params, Index num_evaluations,
                                       const std::vector<Model>* start) {
    FitOptions common = options_of_one();
    limit_evaluations(params, common, num_evaluations);
    const auto num_folds = static_cast<Index>(folds_.size());
    std::vector<std::optional<FitResult>> results(folds_.size());
    std::vector<Matrix> raw(folds_.size());
    pool_.parallel_for(num_folds, [&](Index f, int /*thread*/) {
      const auto at = static_cast<std::size_t>(f);
      // Only the folds that train at the same time have copies of their rows.
      const datasets::Dataset& data = table_.data();
      FitOptions options = common;
      if (start) options.warm_start = &(*start)[at];
      results[at] =
          fit(params, datasets::select(data, rows_without(at)), options);
      const Scorer scorer(results[at]->model, *table_.options().backend);
      raw[at] = scorer.predict_raw(datasets::select(data, folds_[at]));
    });
    UnseenRows rows = join(raw);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      spend(*results[f], table_.data().num_instances() -
                             static_cast<Index>(folds_[f].size()));
      rows.models.push_back(std::move(results[f]->model));
    }
    return rows;
  }

  [[nodiscard]] std::vector<Index> rows_without(std::size_t fold) const {
    std::vector<Index> others;
    auto next = folds_[fold].begin();
    for (Index i = 0; i < table_.data().num_instances(); ++i) {
      if (next != folds_[fold].end() && *next == i) {
        ++next;
      } else {
        others.push_back(i);
      }
    }
    return others;
  }

  /// Joins the predictions of all folds.
  [[nodiscard]] UnseenRows join(const std::vector<Matrix>& raw) const {
    const datasets::Dataset& data = table_.data();
    const Vector weights = training_weights(data, table_.params());
    const Matrix targets = data.target_matrix();
    Index count = 0;
    for (const Matrix& part : raw) count += part.cols();
    UnseenRows rows;
    rows.raw.resize(raw.front().rows(), count);
    rows.targets.resize(targets.rows(), count);
    rows.weights.resize(count);
    Index column = 0;
    for (std::size_t f = 0; f < raw.size(); ++f) {
      rows.raw.middleCols(column, raw[f].cols()) = raw[f];
      for (const Index i : folds_[f]) {
        rows.targets.col(column) = targets.col(i);
        rows.weights[column] = weights[i];
        ++column;
      }
    }
    rows.weights /= rows.weights.mean();
    if (table_.params().task == Task::kRegression) {
      rows.raw.array().colwise() /= deviation_.array();
      rows.targets.array().colwise() /= deviation_.array();
    }
    return rows;
  }

  /// Returns how many evaluations each fold may make until a share of the budget is
  /// spent.
  [[nodiscard]] Index num_evaluations_of_folds(double share) const {
    const Index num_all = table_.data().num_instances();
    double num_instances = 0.0;
    for (const auto& fold : folds_) {
      num_instances +=
          static_cast<double>(num_all - static_cast<Index>(fold.size()));
    }
    return budget_.num_evaluations(share, num_instances * num_weights_);
  }

  void spend(const FitResult& result, Index num_instances) {
    budget_.spend(count_multiplications(result, params_.solver, num_instances));
  }

  /// The shares of the budget that are spent at most when the folds have chosen, and
  /// when they have also predicted for the last time. The rest is for the networks of
  /// all rows.
  static constexpr double kShareOfChoice = 0.5;
  static constexpr double kShareOfFolds = 0.7;

  /// Folds that make fewer evaluations do not show what is better.
  static constexpr Index kLeastEvaluationsOfFolds = 10;

  /// Fewer networks are better than those with fewer evaluations.
  static constexpr Index kLeastEvaluationsOfNetworks = 50;

  const SelectionTable& table_;
  Params params_;  // of the width
  const Folds& folds_;
  const SelectionPlan& plan_;
  ThreadPool& pool_;
  SelectionBudget& budget_;
  double num_weights_;
  Vector deviation_;                          // of the labels of a regression
  std::map<std::size_t, UnseenRows> unseen_;  // by penalty
  mutable std::mutex mutex_;                  ///< of plan_.on_training
};

}  // namespace mlp
