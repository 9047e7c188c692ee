// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The compile-time network as a peer of scoring single rows.

#include "../../core/error.hpp"
#include "../worker/row_scoring.hpp"
#include "fixed_network.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

template <typename T>
class FixedScorer {
 public:
  explicit FixedScorer(std::unique_ptr<FixedNetwork<T>> network)
      : network_(std::move(network)) {}

  void predict_raw(const T* row, T* scores) const {
    network_->predict_raw(row, scores);
  }

 private:
  std::unique_ptr<FixedNetwork<T>> network_;
};

template <typename T>
std::unique_ptr<Task> make(const std::string& layers, const std::string& mode) {
  if (layers != "4,5,4,3" && layers != "784,100,10") {
    throw ParamError("the compiler knows 4,5,4,3 and 784,100,10; got " +
                     layers);
  }
  const Problem problem = random_problem(parse_layers(layers), kNumScoredRows);
  const double* weights = problem.weights.data();
  FixedScorer<T> scorer(layers == "4,5,4,3" ? make_fixed_iris<T>(weights)
                                            : make_fixed_mnist<T>(weights));
  return make_row_scoring<T>(problem, std::move(scorer), mode);
}

}  // namespace

std::unique_ptr<Task> make_compile_time_scoring(const Arguments& arguments) {
  const std::string layers = word_argument(arguments, 0, "LAYERS");
  const std::string precision = word_argument(arguments, 1, "PRECISION");
  const std::string mode = word_argument(arguments, 2, "MODE");
  return precision == "f64" ? make<double>(layers, mode)
                            : make<float>(layers, mode);
}

}  // namespace mlp::bench
