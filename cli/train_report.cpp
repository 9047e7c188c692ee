// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "../core/thread_pool.hpp"
#include "json_output.hpp"

namespace mlp::cli {

namespace {

/// Instances that a thread predicts at once.
constexpr Index kBlockSize = 1024;

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
  const Index num_blocks = (labels.size() + kBlockSize - 1) / kBlockSize;
  std::atomic<Index> num_right{0};
  ThreadPool pool(static_cast<int>(std::min<Index>(num_threads, num_blocks)));
  pool.parallel_for(num_blocks, [&](Index block, int) {
    const Index first = block * kBlockSize;
    const Index size = std::min(kBlockSize, labels.size() - first);
    const Vector predictions =
        model.predict(features.middleCols(first, size), backend);
    const auto truth = labels.segment(first, size).array();
    num_right += (predictions.array() == truth).count();
  });
  return {num_right, labels.size()};
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
