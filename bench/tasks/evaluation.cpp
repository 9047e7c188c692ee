// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// One value-and-gradient evaluation of the training objective:
// 2 N (3 S - n0 n1) flops, S = sum of products of adjacent layer sizes.

#include <memory>
#include <string>
#include <utility>

#include "../../datasets/stored/feature_file.hpp"
#include "../../datasets/stored/stored_features.hpp"
#include "../../mlp/instances/feature_store.hpp"
#include "../../mlp/objective/training_objective.hpp"
#include "../worker/kernels.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

/// Moves the features of a problem to a file; null for no folder.
std::unique_ptr<FeatureStore> store_features(Problem& problem,
                                             const std::string& folder) {
  if (folder.empty()) return nullptr;
  const auto file = std::make_shared<datasets::FeatureFile>(
      folder, problem.features.rows(), datasets::StoredNumber::kFloat64);
  file->append(problem.features.data(), problem.features.cols());
  auto store = std::make_unique<FeatureStore>(
      std::make_shared<const datasets::StoredFeatures>(file));
  problem.features.resize(problem.features.rows(), 0);
  return store;
}

class Evaluation final : public Task {
 public:
  /// \param folder  of a file for the features; empty for features in memory
  Evaluation(Problem problem, Precision precision, int num_threads,
             const std::string& folder)
      : problem_(std::move(problem)),
        store_(store_features(problem_, folder)),
        objective_(problem_.topology, instances(),
                   {&kernels(), num_threads, precision}),
        gradient_(problem_.weights.size()) {
    objective_.value_and_gradient(problem_.weights, gradient_);
  }

  Sample run(long repeats) override {
    double loss = 0.0;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      loss = objective_.value_and_gradient(problem_.weights, gradient_);
    }
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {{"loss", loss}, {"gradient_norm", gradient_.norm()}};
    return sample;
  }

 private:
  [[nodiscard]] InstanceRange instances() const {
    InstanceRange range = problem_.instances();
    range.size = static_cast<Index>(problem_.labels.size());
    range.store = store_.get();
    if (store_) range.features = nullptr;
    return range;
  }

  Problem problem_;
  std::unique_ptr<FeatureStore> store_;
  TrainingObjective objective_;
  Vector gradient_;
};

}  // namespace

std::unique_ptr<Task> make_evaluation(const Arguments& arguments) {
  const std::string what = word_argument(arguments, 0, "LAYERS");
  const bool is_stored = what == "iris" || what == "mnist";
  const Index num_instances =
      is_stored ? 0 : count_argument(arguments, 1, "INSTANCES");
  const Precision precision =
      parse_precision(word_argument(arguments, is_stored ? 1 : 2, "PRECISION"));
  const long num_threads =
      count_argument(arguments, is_stored ? 2 : 3, "THREADS");
  const std::string folder = !is_stored && arguments.size() > 4
                                 ? word_argument(arguments, 4, "FOLDER")
                                 : "";
  return std::make_unique<Evaluation>(
      is_stored ? stored_problem(what)
                : random_problem(parse_layers(what), num_instances),
      precision, static_cast<int>(num_threads), folder);
}

}  // namespace mlp::bench
