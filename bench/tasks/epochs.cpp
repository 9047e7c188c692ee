// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Epochs of mini-batch training on MNIST's rows, as peers/torch_epochs_peer.py and
// peers/sklearn_epochs_peer.py run them.

#include "../../mlp/classifier.hpp"
#include "../worker/kernels.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

constexpr Index kNumRows = 8000;

Params params_of(const std::string& name) {
  if (name != "plain" && name != "batch_norm") {
    throw ParamError("the network must be plain or batch_norm; got " + name);
  }
  Params params;
  params.layers = {784, 256, 128, 10};
  params.seed = 1;
  params.activation = {Activation::of<activations::Relu>()};
  params.batch_norm = name == "batch_norm";
  params.init = Initialization::kHeUniform;
  params.solver = Solver::kAdam;
  return params;
}

/// Times epochs alone: what a fit prepares is done once, and peers have done it
/// before as well.
class Epochs final : public Task {
 public:
  Epochs(const std::string& name, int num_threads) : params_(params_of(name)) {
    data_ = stored_dataset("mnist");
    data_.features.conservativeResize(Eigen::NoChange, kNumRows);
    data_.labels.conservativeResize(kNumRows);
    data_.partition_sizes.clear();
    options_.backend = &kernels();
    options_.precision = Precision::kFloat32;
    options_.num_threads = num_threads;
  }

  Sample run(long repeats) override {
    params_.max_iter = repeats;
    Duration duration;
    Stopwatch watch;
    options_.on_iteration = [&](const optim::Iteration& iteration) {
      if (iteration.iteration == 0) watch = Stopwatch();
      duration = watch.elapsed();
      return true;
    };
    const FitResult fit = Classifier(params_).fit(data_, options_);
    return {
        duration, {{"objective", fit.summary.objective_history.back()}}, {}};
  }

 private:
  Params params_;
  datasets::Dataset data_;
  FitOptions options_;
};

}  // namespace

std::unique_ptr<Task> make_epochs(const Arguments& arguments) {
  return std::make_unique<Epochs>(
      word_argument(arguments, 0, "NETWORK"),
      static_cast<int>(count_argument(arguments, 1, "THREADS")));
}

}  // namespace mlp::bench
