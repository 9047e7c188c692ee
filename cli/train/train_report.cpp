// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

#include "../console/json_output.hpp"

namespace mlp::cli {

namespace {

/// The column of the values.
constexpr std::size_t kColumn = 16;

std::string print_number(const char* format, double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

/// Formats a line, such as "train accuracy  0.9933 (149 of 150 right)".
std::string describe_quality(std::string name, const Quality& quality) {
  std::string text;
  if (const auto* accuracy = std::get_if<Accuracy>(&quality)) {
    name += " accuracy";
    text = print_number("%.4f", accuracy->ratio()) + " (" +
           std::to_string(accuracy->num_right) + " of " +
           std::to_string(accuracy->num_instances) + " right)\n";
  } else {
    const auto& metrics = std::get<RegressionMetrics>(quality);
    name += " R2";
    text = print_number("%.4f", metrics.r2) +
           print_number(" (RMSE %.6g)\n", metrics.rmse);
  }
  name.resize(std::max(name.size() + 2, kColumn), ' ');
  return name + text;
}

void add_quality(JsonObject& json, const std::string& name,
                 const Quality& quality) {
  if (const auto* accuracy = std::get_if<Accuracy>(&quality)) {
    json.add(name + "Accuracy", accuracy->ratio());
    return;
  }
  const auto& metrics = std::get<RegressionMetrics>(quality);
  json.add(name + "R2", metrics.r2).add(name + "Rmse", metrics.rmse);
}

/// Returns the sums over all ranks of a group, or of this rank only if there is
/// none.
template <typename Sums>
Sums unite(const Sums& own, distributed::Allreduce* group) {
  if (!group) return own;
  Sums united;
  for (const std::string& bytes :
       group->all_gather({reinterpret_cast<const char*>(&own), sizeof own})) {
    Sums part;
    std::memcpy(&part, bytes.data(), std::min(sizeof part, bytes.size()));
    united.add(part);
  }
  return united;
}

Index count_instances(const Quality& quality) {
  return std::visit([](const auto& q) { return q.num_instances; }, quality);
}

}  // namespace

Quality measure_quality(const Model& model, const Matrix& features,
                        const Vector& labels, int num_threads,
                        const Backend& backend, distributed::Allreduce* group) {
  const Scorer scorer(model, backend);
  const Vector predictions = scorer.predict(features, num_threads);
  if (model.is_regressor()) {
    return unite(RegressionSums::of(labels, predictions), group).metrics();
  }
  return unite(
      Accuracy{(predictions.array() == labels.array()).count(), labels.size()},
      group);
}

std::string format_train_json(const TrainReport& report) {
  const optim::Summary& summary = report.summary;
  JsonObject json;
  json.add("objectiveHistory", summary.objective_history)
      .add("totalIterations", summary.total_iterations())
      .add("evaluations", summary.evaluations)
      .add("convergenceReason",
           optim::text_of(summary.convergence_reason).name);
  add_quality(json, "train", report.train);
  if (report.test) add_quality(json, "test", *report.test);
  if (report.validation) add_quality(json, "validation", *report.validation);
  json.add("seconds", report.seconds)
      .add("rows", count_instances(report.train));
  if (report.test) json.add("testRows", count_instances(*report.test));
  if (report.validation) {
    json.add("validationRows", count_instances(*report.validation));
  }
  json.add("layers", report.layers)
      .add("backend", report.backend.name)
      .add("kernels", report.backend.implementation->name())
      .add("precision", precision_name(report.precision));
  if (report.model_file.empty()) {
    json.add_json("model", "null");
  } else {
    json.add("model", report.model_file);
  }
  if (std::holds_alternative<RegressionMetrics>(report.train)) {
    return json.text();
  }
  std::vector<std::string> labels = report.label_names;
  const auto num_classes = static_cast<std::size_t>(report.layers.back());
  while (labels.size() < num_classes) {
    labels.push_back(std::to_string(labels.size()));
  }
  return json.add("labels", labels).text();
}

std::string format_train_text(const TrainReport& report) {
  const optim::Summary& summary = report.summary;
  const auto& reason = optim::text_of(summary.convergence_reason);
  std::string text = describe_quality("train", report.train);
  if (report.test) text += describe_quality("test", *report.test);
  if (report.validation) {
    text += describe_quality("validation", *report.validation);
  }
  if (!summary.objective_history.empty()) {
    text += "objective       " +
            print_number("%.6g", summary.objective_history.back()) + '\n';
  }
  text += "iterations      " + std::to_string(summary.total_iterations()) +
          " (" + std::string(reason.name) + ": " +
          std::string(reason.sentence) + ")\n";
  text += "seconds         " + print_number("%.3g", report.seconds) + '\n';
  return text + "model           " +
         (report.model_file.empty() ? "not saved" : report.model_file) + '\n';
}

}  // namespace mlp::cli
