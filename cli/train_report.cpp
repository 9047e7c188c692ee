// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <cstdio>

#include "json_output.hpp"

namespace mlp::cli {

namespace {

std::string print_number(const char* format, double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

std::string describe_accuracy(const Accuracy& accuracy) {
  return print_number("%.4f", accuracy.ratio()) + " (" +
         std::to_string(accuracy.num_right) + " of " +
         std::to_string(accuracy.num_instances) + " right)\n";
}

}  // namespace

Accuracy measure_accuracy(const Model& model, const Matrix& features,
                          const Vector& labels, int num_threads,
                          const Backend& backend) {
  const Scorer scorer(model, backend);
  const Vector predictions = scorer.predict(features, num_threads);
  return {(predictions.array() == labels.array()).count(), labels.size()};
}

std::string format_train_json(const TrainReport& report) {
  const optim::Summary& summary = report.summary;
  JsonObject json;
  json.add("objectiveHistory", summary.objective_history)
      .add("totalIterations", summary.total_iterations())
      .add("evaluations", summary.evaluations)
      .add("convergenceReason", optim::text_of(summary.convergence_reason).name)
      .add("trainAccuracy", report.train.ratio());
  if (report.test) json.add("testAccuracy", report.test->ratio());
  json.add("seconds", report.seconds).add("rows", report.train.num_instances);
  if (report.test) json.add("testRows", report.test->num_instances);
  json.add("layers", report.layers)
      .add("engine", report.engine.name)
      .add("backend", report.engine.backend->name())
      .add("precision", precision_name(report.precision));
  if (report.model_file.empty()) {
    json.add_json("model", "null");
  } else {
    json.add("model", report.model_file);
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
  std::string text = "train accuracy  " + describe_accuracy(report.train);
  if (report.test) {
    text += "test accuracy   " + describe_accuracy(*report.test);
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
