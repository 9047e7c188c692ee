// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/select.hpp"
#include "../../optim/stop_request.hpp"
#include "../model/model.hpp"
#include "../model/prediction.hpp"
#include "../model/scorer.hpp"
#include "../network/loss_formulas.hpp"
#include "../params/preset.hpp"
#include "../training/fit_model.hpp"
#include "../training/standardized_fit.hpp"
#include "calibration.hpp"
#include "merge_models.hpp"
#include "select_model.hpp"
#include "selection_folds.hpp"
#include "selection_plan.hpp"
#include "temperature.hpp"

namespace mlp {

namespace detail {

/// What the trainings of the folds predicted for the rows that they did not see, and
/// their models.
struct UnseenRows {
  /// [num_outputs x num_instances]; of a regressor, in deviations of the labels
  Matrix raw;

  /// Class indices, or numbers in deviations   [num_targets x num_instances]
  Matrix targets;

  Vector weights;             ///< as the training weighs them   [num_instances]
  std::vector<Model> models;  ///< [num_folds]
  double loss = 0.0;
};

/// The rows of one fold, and all others.
struct SelectionFold {
  datasets::Dataset train;
  datasets::Dataset unseen;
};

inline std::vector<SelectionFold> cut_folds(
    const datasets::Dataset& data,
    const std::vector<std::vector<Index>>& folds) {
  std::vector<SelectionFold> cut(folds.size());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    std::vector<Index> others;
    auto next = folds[f].begin();
    for (Index i = 0; i < data.num_instances(); ++i) {
      if (next != folds[f].end() && *next == i) {
        ++next;
      } else {
        others.push_back(i);
      }
    }
    cut[f] = {datasets::select(data, others), datasets::select(data, folds[f])};
  }
  return cut;
}

/// Computes the mean negative log likelihood, or the mean squared error in units of
/// the variance of the labels.
///
/// \param temperature  divides the raw predictions of a classifier
inline double unseen_loss(const UnseenRows& rows, Task task,
                          double temperature = 1.0) {
  double sum = 0.0;
  double count = 0.0;
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
    count += rows.weights[i];
  }
  return sum / count;
}

/// Trains and scores the candidates of a selection.
class SelectionRun {
 public:
  SelectionRun(const Params& params, const datasets::Dataset& data,
               const FitOptions& options, const SelectionPlan& plan,
               const std::vector<Index>& groups)
      : params_(params),
        data_(data),
        options_(options),
        plan_(plan),
        pool_(options.num_threads) {
    const bool has_classes = params.task == Task::kClassification;
    folds_ = cut_folds(
        data, selection_folds(
                  has_classes ? data.labels
                              : Vector(Vector::Zero(data.num_instances())),
                  groups, plan.num_folds, params.seed, params.seed_hash));
    if (!has_classes) {
      deviation_ = options.label_scale
                       ? options.label_scale->deviation
                       : fit_label_scale(data, nullptr).deviation;
    }
    options_.num_threads = 1;
    options_.on_iteration = nullptr;
  }

  /// Returns the position of the best penalty of the plan.
  [[nodiscard]] std::size_t choose_penalty() {
    const std::size_t middle = plan_.penalties.size() / 2;
    if (folds_.empty()) return middle;
    std::size_t best = middle;
    while (best > 0 && improves(best - 1, best)) --best;
    if (best != middle) return best;
    while (best + 1 < plan_.penalties.size() && improves(best + 1, best)) {
      ++best;
    }
    return best;
  }

  /// Trains networks of other seeds on all rows.
  [[nodiscard]] std::vector<FitResult> train_networks(std::size_t penalty) {
    std::vector<std::optional<FitResult>> results(
        static_cast<std::size_t>(plan_.num_networks));
    pool_.parallel_for(plan_.num_networks, [&](Index i, int /*thread*/) {
      Params params = with_penalty(penalty);
      params.seed =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(params.seed) +
                                    static_cast<std::uint64_t>(i));
      results[static_cast<std::size_t>(i)] = fit(params, data_);
    });
    std::vector<FitResult> networks;
    for (auto& result : results) networks.push_back(std::move(*result));
    return networks;
  }

  /// Returns what the folds predict with a penalty.
  ///
  /// \param near  a penalty from whose networks the trainings start; the same one for
  ///              new networks
  [[nodiscard]] const UnseenRows& unseen(std::size_t penalty,
                                         std::size_t near) {
    const auto found = unseen_.find(penalty);
    if (found != unseen_.end()) return found->second;
    // Other solvers would go on where they were stopped, which is not to converge.
    const bool is_warm = near != penalty && params_.solver == Solver::kLbfgs;
    const std::vector<Model>* const start =
        is_warm ? &unseen(near, near).models : nullptr;
    Params params = with_penalty(penalty);
    params.max_iter = std::min(params.max_iter, plan_.max_fold_iterations);
    UnseenRows rows = train_folds(params, start);
    rows.loss = unseen_loss(rows, params_.task);
    return unseen_.emplace(penalty, std::move(rows)).first->second;
  }

  [[nodiscard]] Index num_folds() const {
    return static_cast<Index>(folds_.size());
  }

  [[nodiscard]] Params with_penalty(std::size_t penalty) const {
    Params params = params_;
    const double factor = plan_.penalties[penalty];
    if (factor == 1.0 || params.reg_param == 0.0) return params;
    params.reg_param = round_to_two_digits(factor * params.reg_param);
    return params;
  }

 private:
  /// Returns true if the unseen rows are better with a penalty than with the one
  /// beside it.
  [[nodiscard]] bool improves(std::size_t penalty, std::size_t near) {
    const double loss = unseen(near, near).loss;
    return unseen(penalty, near).loss < loss;
  }

  /// Trains a model, which may be stopped.
  ///
  /// \throws optim::Interrupted
  [[nodiscard]] FitResult fit(const Params& params,
                              const datasets::Dataset& data,
                              const Model* start = nullptr) const {
    FitOptions options = options_;
    options.warm_start = start;
    FitResult result = fit_model(params, data, options);
    if (options_.is_stopping && *options_.is_stopping) {
      throw optim::Interrupted();
    }
    return result;
  }

  /// Trains a model without each fold, and predicts the rows of that fold.
  ///
  /// \param start  the models from which the trainings start [num_folds], or null
  [[nodiscard]] UnseenRows train_folds(const Params& params,
                                       const std::vector<Model>* start) {
    std::vector<std::optional<Model>> models(folds_.size());
    std::vector<Matrix> raw(folds_.size());
    pool_.parallel_for(num_folds(), [&](Index f, int /*thread*/) {
      const auto at = static_cast<std::size_t>(f);
      const SelectionFold& fold = folds_[at];
      models[at] =
          fit(params, fold.train, start ? &(*start)[at] : nullptr).model;
      raw[at] = models[at]->predict_raw(fold.unseen.feature_matrix(),
                                        *options_.backend);
    });
    UnseenRows rows = join(raw);
    for (auto& model : models) rows.models.push_back(std::move(*model));
    return rows;
  }

  /// Joins the predictions of all folds.
  [[nodiscard]] UnseenRows join(const std::vector<Matrix>& raw) const {
    Index count = 0;
    for (const Matrix& part : raw) count += part.cols();
    UnseenRows rows;
    rows.raw.resize(raw.front().rows(), count);
    rows.targets.resize(data_.target_matrix().rows(), count);
    rows.weights.resize(count);
    Index first = 0;
    for (std::size_t f = 0; f < raw.size(); ++f) {
      const datasets::Dataset& unseen = folds_[f].unseen;
      rows.raw.middleCols(first, raw[f].cols()) = raw[f];
      rows.targets.middleCols(first, raw[f].cols()) = unseen.target_matrix();
      rows.weights.segment(first, raw[f].cols()) = weights_of(unseen);
      first += raw[f].cols();
    }
    if (params_.task == Task::kRegression) {
      rows.raw.array().colwise() /= deviation_.array();
      rows.targets.array().colwise() /= deviation_.array();
    }
    return rows;
  }

  /// Returns the weights by which a training counts instances.
  [[nodiscard]] Vector weights_of(const datasets::Dataset& data) const {
    Vector weights = data.weights;
    if (weights.size() == 0) weights = Vector::Ones(data.num_instances());
    if (params_.class_weights.empty()) return weights;
    for (Index i = 0; i < weights.size(); ++i) {
      weights[i] *=
          params_.class_weights[static_cast<std::size_t>(data.labels[i])];
    }
    return weights;
  }

  const Params& params_;
  const datasets::Dataset& data_;
  FitOptions options_;
  const SelectionPlan& plan_;
  ThreadPool pool_;
  std::vector<SelectionFold> folds_;
  Vector deviation_;                          // of the labels of a regression
  std::map<std::size_t, UnseenRows> unseen_;  // by penalty
};

/// Measures the predictions of the folds, divided by the temperature. Thresholds are
/// applied as the model applies them.
inline UnseenScores measure_unseen(const UnseenRows& rows, const Params& params,
                                   double temperature) {
  UnseenScores scores;
  scores.num_instances = rows.raw.cols();
  scores.loss = unseen_loss(rows, params.task, temperature);
  if (params.task == Task::kRegression) return scores;
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

}  // namespace detail

SelectedModel select_model(const Params& params, const datasets::Dataset& data,
                           const FitOptions& options, const SelectionPlan& plan,
                           const std::vector<Index>& groups) {
  if (options.is_standardizing) {
    TrainingInstances instances = TrainingInstances::view(data);
    const StandardizedFit scaled(instances, options, params.task);
    SelectedModel selected =
        select_model(params, scaled.data->data(), scaled.options, plan, groups);
    selected.fit.model.set_scaler(scaled.scaler);
    return selected;
  }
  detail::SelectionRun run(params, data, options, plan, groups);
  const std::size_t penalty = run.choose_penalty();
  std::vector<FitResult> networks = run.train_networks(penalty);
  std::vector<Model> models;
  for (const FitResult& network : networks) models.push_back(network.model);
  SelectedModel selected{std::move(networks.front()), {}};
  selected.fit.model = merge_models(models);
  SelectionReport& report = selected.report;
  report.num_folds = run.num_folds();
  report.num_networks = plan.num_networks;
  report.reg_param = run.with_penalty(penalty).reg_param;
  if (run.num_folds() == 0) return selected;
  const detail::UnseenRows& unseen = run.unseen(penalty, penalty);
  if (params.task == Task::kClassification) {
    report.temperature = fit_temperature(
        unseen.raw, Vector(unseen.targets.row(0).transpose()), unseen.weights);
    selected.fit.model =
        with_temperature(selected.fit.model, report.temperature);
  }
  report.unseen = detail::measure_unseen(unseen, params, report.temperature);
  return selected;
}

}  // namespace mlp
