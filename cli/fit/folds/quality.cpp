// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../../core/error.hpp"
#include "../../../mlp/model/scorer.hpp"
#include "../../console/metric_text.hpp"

namespace mlp::cli {

namespace {

/// The sums of some instances, for their scores.
template <typename Sums>
struct PartialSums {
  Sums sums;
  Index num_instances = 0;
  bool is_measured = false;  ///< false if the sums were left out
};

/// Adds the sums of all ranks of a group. Without a group, returns the sums of this
/// rank. The result is measured if the sums of each rank are.
template <typename Sums>
PartialSums<Sums> unite(const PartialSums<Sums>& own,
                        distributed::Allreduce* group) {
  if (!group) return own;
  PartialSums<Sums> united{{}, 0, true};
  for (const std::string& bytes :
       group->all_gather({reinterpret_cast<const char*>(&own), sizeof own})) {
    PartialSums<Sums> part;
    if (bytes.size() != sizeof part) {
      throw CommunicationError("the sums of a rank's scores must have " +
                               std::to_string(sizeof part) + " bytes; got " +
                               std::to_string(bytes.size()) +
                               "; run the same program on every rank");
    }
    std::memcpy(&part, bytes.data(), sizeof part);
    united.sums.add(part.sums);
    united.num_instances += part.num_instances;
    united.is_measured = united.is_measured && part.is_measured;
  }
  return united;
}

/// Multiply-adds between two looks at the limit: some milliseconds.
constexpr Index kWorkPerLook = Index{1} << 26;

/// Predicts all instances, some at a time; nothing if the limit is exceeded.
///
/// \return [1 x num_instances], or [num_outputs x num_instances] of a regressor
std::optional<Matrix> predict(const Model& model, const Scorer& scorer,
                              const TrainingInstances& data, int num_threads,
                              MetricsLimit& limit) {
  const Index size =
      num_threads *
      std::max(Index{256}, kWorkPerLook / model.topology().num_weights());
  Matrix predictions(model.is_regressor() ? model.num_classes() : 1,
                     data.num_instances());
  Matrix buffer;
  for (Index first = 0; first < data.num_instances(); first += size) {
    if (limit.is_exceeded()) return std::nullopt;
    const Index count = std::min(size, data.num_instances() - first);
    const auto rows = data.rows(first, count, buffer);
    if (model.is_regressor()) {
      predictions.middleCols(first, count) =
          scorer.predict_raw(rows, num_threads);
    } else {
      predictions.row(0).segment(first, count) =
          scorer.predict(rows, num_threads).transpose();
    }
  }
  return predictions;
}

/// Measures each target of a regression.
///
/// \param labels       [num_targets x num_instances]
/// \param predictions  as many, or nothing if they were left out
Quality measure_targets(const ConstMatrixRef& labels,
                        const std::optional<Matrix>& predictions,
                        distributed::Allreduce* group) {
  std::vector<RegressionMetrics> by_target;
  Index num_instances = 0;
  bool is_measured = true;
  for (Index i = 0; i < labels.rows(); ++i) {
    PartialSums<RegressionSums> part{
        {}, labels.cols(), predictions.has_value()};
    if (predictions) {
      part.sums = RegressionSums::of(labels.row(i), predictions->row(i));
    }
    part = unite(part, group);
    num_instances = part.num_instances;
    is_measured = is_measured && part.is_measured;
    if (is_measured) by_target.push_back(part.sums.metrics());
  }
  if (!is_measured) return NotMeasured{num_instances};
  return mean_metrics(by_target);
}

}  // namespace

Quality measure_quality(const Model& model, const TrainingInstances& data,
                        const GlobalOptions& global, MetricsLimit& limit,
                        distributed::Allreduce* group) {
  const Scorer scorer(model, *global.backend.implementation);
  const std::optional<Matrix> predictions =
      predict(model, scorer, data, global.num_threads, limit);
  const auto labels = data.data().target_matrix();
  if (model.is_regressor()) {
    return measure_targets(labels, predictions, group);
  }
  PartialSums<Accuracy> part{{}, labels.cols(), predictions.has_value()};
  if (predictions) {
    part.sums = {(predictions->array() == labels.array()).count(),
                 labels.cols()};
  }
  part = unite(part, group);
  if (!part.is_measured) return NotMeasured{part.num_instances};
  return part.sums;
}

Index count_instances(const Quality& quality) {
  return std::visit([](const auto& q) { return q.num_instances; }, quality);
}

std::optional<double> score_of(const Quality& quality) {
  if (const auto* accuracy = std::get_if<Accuracy>(&quality)) {
    return accuracy->ratio();
  }
  const auto* metrics = std::get_if<RegressionMetrics>(&quality);
  if (!metrics || !std::isfinite(metrics->r2)) return std::nullopt;
  return metrics->r2;
}

void FoldScores::add(const Quality& quality) {
  if (const auto* accuracy = std::get_if<Accuracy>(&quality)) {
    scores.push_back(accuracy->ratio());
  } else if (const auto* metrics = std::get_if<RegressionMetrics>(&quality)) {
    has_undefined = has_undefined || !std::isfinite(metrics->r2);
    scores.push_back(defined_or_zero(metrics->r2));
    rmse.push_back(metrics->rmse);
  }
}

std::string FoldScores::describe_last() const {
  if (scores.empty()) return "not measured";
  return (rmse.empty() ? "accuracy " : "R2 ") + four_digits(scores.back());
}

MeanAndDeviation MeanAndDeviation::of(const std::vector<double>& numbers) {
  MeanAndDeviation result;
  const auto count = static_cast<double>(numbers.size());
  for (const double number : numbers) result.mean += number / count;
  if (numbers.size() < 2) return result;
  double squares = 0.0;
  for (const double number : numbers) {
    squares += (number - result.mean) * (number - result.mean);
  }
  result.deviation = std::sqrt(squares / (count - 1.0));
  return result;
}

}  // namespace mlp::cli
