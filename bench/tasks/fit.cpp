// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A whole fit of stored data, as the same call trains them in Spark.

#include "../../mlp/classifier.hpp"
#include "../worker/kernels.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

/// \param name  "iris" or "mnist", with the parameters of peers/spark_peer.py
Params params_of(const std::string& name) {
  Params params;
  if (name == "iris") {
    params.layers = {4, 5, 4, 3};
    params.seed = 1234;
    params.max_iter = 100;
    return params;
  }
  params.layers = {784, 100, 10};
  params.seed = 1;
  params.max_iter = 25;
  params.tol = 0.0;
  return params;
}

class Fit final : public Task {
 public:
  Fit(const std::string& name, int num_threads)
      : data_(stored_dataset(name)), classifier_(params_of(name)) {
    options_.backend = &kernels();
    options_.num_threads = num_threads;
  }

  Sample run(long repeats) override {
    optim::Summary summary;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      summary = classifier_.fit(data_, options_).summary;
    }
    Sample sample{watch.elapsed(), {}, summary.objective_history};
    sample.values = {
        {"iterations", static_cast<double>(summary.total_iterations())},
        {"evaluations", static_cast<double>(summary.evaluations)}};
    return sample;
  }

 private:
  datasets::Dataset data_;
  Classifier classifier_;
  FitOptions options_;
};

}  // namespace

std::unique_ptr<Task> make_fit(const Arguments& arguments) {
  return std::make_unique<Fit>(
      word_argument(arguments, 0, "DATA"),
      static_cast<int>(count_argument(arguments, 1, "THREADS")));
}

}  // namespace mlp::bench
