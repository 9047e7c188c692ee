// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "../../../cpu/cpu_backend.hpp"
#include "../../../datasets/binary/gzip.hpp"
#include "../../../datasets/load/load.hpp"
#include "../../../datasets/select.hpp"
#include "../../../datasets/standard_scaler.hpp"
#include "../../../mlp/classifier.hpp"

namespace mlp::cpu {

namespace {

// What two good trainers differ by on 2,000 rows: 8 of them.
constexpr double kAccuracyTolerance = 0.004;

/// What tests/torch/record_mnist.py spells out.
std::vector<Index> shuffled(Index count, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::uint64_t state = seed;
  for (std::size_t i = order.size(); i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[i - 1], order[(state >> 33) % i]);
  }
  return order;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

double measure(const Model& model, const datasets::Dataset& data) {
  return evaluate(model, data, backend()).accuracy();
}

FitOptions options(Precision precision) {
  FitOptions options;
  options.backend = &backend();
  options.precision = precision;
  options.num_threads = 2;
  return options;
}

/// The mean accuracy of five folds, each tested on by a model of the others.
double cross_validate(const datasets::Dataset& data, Params params) {
  constexpr Index kNumFolds = 5;
  const std::vector<Index> order =
      shuffled(data.num_instances(), static_cast<std::uint64_t>(params.seed));
  double sum = 0.0;
  for (Index fold = 0; fold < kNumFolds; ++fold) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_test = static_cast<Index>(i) % kNumFolds == fold;
      (is_test ? test : train).push_back(order[i]);
    }
    datasets::Dataset trained = datasets::select(data, train);
    datasets::Dataset tested = datasets::select(data, test);
    const auto scaler = datasets::StandardScaler::fit(trained.features);
    scaler.apply(trained.features);
    scaler.apply(tested.features);
    sum += measure(
        Classifier(params).fit(trained, options(Precision::kFloat64)).model,
        tested);
  }
  return sum / static_cast<double>(kNumFolds);
}

datasets::Dataset load_mnist() {
  datasets::LoadOptions load;
  load.labels_file = MLP_DATA_DIR "/t10k-labels-idx1-ubyte.gz";
  load.scale = 255.0;
  return datasets::load(MLP_DATA_DIR "/t10k-images-idx3-ubyte.gz", load)
      .dataset;
}

/// The accuracy on 2,000 rows of a network that learned from the others.
double train_and_test(const datasets::Dataset& data, Params params) {
  const auto order =
      shuffled(data.num_instances(), static_cast<std::uint64_t>(params.seed));
  const auto rows = std::span(order);
  const FitResult fit = Classifier(params).fit(
      datasets::select(data, rows.first(8000)), options(Precision::kFloat32));
  return measure(fit.model, datasets::select(data, rows.subspan(8000)));
}

}  // namespace

TEST_SUITE("cpu/panels/mini_batch_training") {
  TEST_CASE("reaches on MNIST the accuracy of PyTorch on the same splits") {
    std::ifstream stream(MLP_TEST_DATA_DIR "/golden/torch/mnist.json");
    const auto recorded = nlohmann::json::parse(stream);
    const datasets::Dataset data = load_mnist();
    Params params;
    params.layers = {784, 256, 128, 10};
    params.activation = {Activation::of<activations::Relu>()};
    params.batch_norm = true;
    params.init = Initialization::kHeNormal;
    params.solver = Solver::kAdam;
    params.max_iter = 15;
    std::vector<double> accuracies;

    for (const auto& seed : recorded["seeds"]) {
      params.seed = seed.get<std::int64_t>();
      accuracies.push_back(train_and_test(data, params));
    }

    const double expected =
        median(recorded["accuracies"].get<std::vector<double>>());
    CHECK(median(accuracies) >= expected - kAccuracyTolerance);
  }

  TEST_CASE("learns iris across five folds with ReLU, L2 and l-bfgs") {
    datasets::Dataset data =
        datasets::load(MLP_DATA_DIR "/iris.csv", {}).dataset;
    for (Index i = 0; i < data.num_instances(); ++i) {
      // 50 of each kind, in this order.
      data.labels.conservativeResize(data.num_instances());
      data.labels[i] = static_cast<double>(i / 50);
    }
    data.label_texts.clear();
    Params params;
    params.layers = {4, 10, 3};
    params.activation = {Activation::of<activations::Relu>()};
    params.init = Initialization::kHeNormal;
    params.reg_param = 0.01;
    std::vector<double> accuracies;

    for (params.seed = 1; params.seed <= 5; ++params.seed) {
      accuracies.push_back(cross_validate(data, params));
    }

    CHECK(median(accuracies) >= 0.96);
  }
}

}  // namespace mlp::cpu
