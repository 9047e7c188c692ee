// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_evaluation.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../worker/problem.hpp"
#include "captured_evaluation.hpp"
#include "copy_rate.hpp"
#include "fastest_products.hpp"
#include "network_products.hpp"
#include "timed_iterations.hpp"

namespace mlp::bench {
namespace {

/// The bytes of each copy: more than the caches of a device, and little beside
/// its memory.
constexpr Index kCopyBytes = Index{4} << 30;
constexpr Index kShortCopyBytes = Index{64} << 20;

/// Below so many instances, a run only checks that everything works.
constexpr Index kFewInstances = 4096;

Precision parse_device_precision(const std::string& word) {
  if (word == "tf32") return Precision::kTensorFloat32;
  if (word == "bf16") return Precision::kBfloat16;
  return parse_precision(word);
}

/// The evaluations in a row, as many as of a product.
constexpr int kNumRuns = FastestProducts::kNumCalls;

/// The arguments of the tasks.
struct Shape {
  explicit Shape(const Arguments& arguments)
      : layers(parse_layers(word_argument(arguments, 0, "LAYERS"))),
        num_instances(count_argument(arguments, 1, "INSTANCES")),
        precision(
            parse_device_precision(word_argument(arguments, 2, "PRECISION"))) {}

  std::vector<Index> layers;
  Index num_instances;
  Precision precision;
};

/// Sums what a function returns.
template <typename Seconds>
double sum(long repeats, Seconds&& seconds) {
  double sum = 0.0;
  for (long i = 0; i < repeats; ++i) sum += seconds();
  return sum;
}

class DeviceEvaluation final : public Task {
 public:
  DeviceEvaluation(Problem problem, const std::vector<Index>& layers,
                   Precision precision)
      : problem_(std::move(problem)),
        copy_(problem_.features.cols() < kFewInstances ? kShortCopyBytes
                                                       : kCopyBytes),
        products_(network_products(layers, problem_.features.cols()),
                  precision),
        evaluation_(problem_.topology, precision, problem_.instances(),
                    problem_.weights) {
    // Steps that no line search shortens do not descend with gradients of 8 bits.
    if (precision == Precision::kBfloat16) return;
    iterations_.emplace(problem_.topology, precision, problem_.instances(),
                        problem_.weights);
  }

  /// The duration is that of the evaluations.
  Sample run(long repeats) override {
    // Each piece of work begins on a device that has only copied: heavy work lowers
    // its clock for what follows.
    double copy = copy_.bytes_per_second();
    const double products =
        sum(repeats, [this] { return products_.seconds(); });
    copy = std::max(copy, copy_.bytes_per_second());
    const double evaluation =
        sum(repeats, [this] { return evaluation_.seconds(kNumRuns); });
    Sample sample;
    sample.duration.wall_seconds = evaluation;
    sample.values = {{"copy_bytes_per_second", copy},
                     {"products", products},
                     {"loss", evaluation_.value()},
                     {"gradient_norm", evaluation_.gradient_norm()}};
    if (iterations_) {
      sample.values.emplace_back(
          "iteration", sum(repeats, [this] { return iterations_->seconds(); }));
    }
    return sample;
  }

 private:
  Problem problem_;
  CopyRate copy_;
  FastestProducts products_;
  CapturedEvaluation evaluation_;
  std::optional<TimedIterations> iterations_;
};

}  // namespace

std::unique_ptr<Task> make_device_evaluation(const Arguments& arguments) {
  const Shape shape(arguments);
  return std::make_unique<DeviceEvaluation>(
      random_problem(shape.layers, shape.num_instances), shape.layers,
      shape.precision);
}

void print_products(const Arguments& arguments) {
  const Shape shape(arguments);
  FastestProducts products(network_products(shape.layers, shape.num_instances),
                           shape.precision);
  for (const FastestProducts::Comparison& compared : products.compare()) {
    const NetworkProduct& product = compared.product;
    std::cout << "{\"rows\": " << product.rows
              << ", \"columns\": " << product.columns
              << ", \"inner\": " << product.inner << ", \"transposed\": \""
              << (product.is_left_transposed ? 'T' : 'N')
              << (product.is_right_transposed ? 'T' : 'N')
              << "\", \"fastest_seconds\": " << compared.fastest
              << ", \"seconds\": " << compared.ours << "}" << std::endl;
  }
}

void run_evaluation(const Arguments& arguments) {
  const Shape shape(arguments);
  const Problem problem = random_problem(shape.layers, shape.num_instances);
  CapturedEvaluation evaluation(problem.topology, shape.precision,
                                problem.instances(), problem.weights);
  std::cout << evaluation.seconds(kNumRuns) << " seconds" << std::endl;
}

}  // namespace mlp::bench
