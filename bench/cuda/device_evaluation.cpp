// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_evaluation.hpp"

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

/// The evaluations in a row: the device then does not wait for the host between
/// them.
constexpr int kNumRuns = 5;

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
                    problem_.weights),
        iterations_(problem_.topology, precision, problem_.instances(),
                    problem_.weights) {}

  /// The duration is that of the evaluations.
  Sample run(long repeats) override {
    const double copy = copy_.bytes_per_second();
    const double products =
        sum(repeats, [this] { return products_.seconds(); });
    const double evaluation =
        sum(repeats, [this] { return evaluation_.seconds(kNumRuns); });
    const double iteration =
        sum(repeats, [this] { return iterations_.seconds(); });
    Sample sample;
    sample.duration.wall_seconds = evaluation;
    sample.values = {{"copy_bytes_per_second", copy},
                     {"products", products},
                     {"iteration", iteration},
                     {"loss", evaluation_.value()},
                     {"gradient_norm", evaluation_.gradient_norm()}};
    return sample;
  }

 private:
  Problem problem_;
  CopyRate copy_;
  FastestProducts products_;
  CapturedEvaluation evaluation_;
  TimedIterations iterations_;
};

}  // namespace

std::unique_ptr<Task> make_device_evaluation(const Arguments& arguments) {
  const std::vector<Index> layers =
      parse_layers(word_argument(arguments, 0, "LAYERS"));
  const Index num_instances = count_argument(arguments, 1, "INSTANCES");
  return std::make_unique<DeviceEvaluation>(
      random_problem(layers, num_instances), layers,
      parse_device_precision(word_argument(arguments, 2, "PRECISION")));
}

}  // namespace mlp::bench
