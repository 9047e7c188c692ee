// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "captured_evaluation.hpp"

#include <cmath>

#include "../../core/error.hpp"
#include "../../cuda/blas/cublas_functions.hpp"

namespace mlp::bench {

CapturedEvaluation::CapturedEvaluation(const Topology& topology,
                                       Precision precision,
                                       const InstanceRange& instances,
                                       const Vector& weights)
    : context_(0, 0, cuda::cublas_functions()),
      objective_(cuda::make_layered_objective(topology, precision, instances, 0,
                                              context_)),
      weights_(topology.num_weights()),
      value_(1),
      gradient_(topology.num_weights()) {
  if (!objective_->is_capturable()) {
    throw ResourceError("the instances do not fit on the device");
  }
  weights_.upload({weights.data(), static_cast<std::size_t>(weights.size())},
                  stream());
  const auto add_evaluation = [this] {
    objective_->add_evaluation(weights_.data(), value_.data(), gradient_.data(),
                               nullptr);
  };
  add_evaluation();  // libraries prepare themselves
  stream().synchronize();
  graph_.capture(stream(), add_evaluation);
}

double CapturedEvaluation::seconds(int num_runs) {
  const double seconds = clock_.seconds(stream().get(), [&] {
    for (int i = 0; i < num_runs; ++i) graph_.launch(stream());
  });
  return seconds / num_runs;
}

double CapturedEvaluation::value() const {
  return value_.download(stream()).front();
}

double CapturedEvaluation::gradient_norm() const {
  double sum = 0.0;
  for (const double element : gradient_.download(stream())) {
    sum += element * element;
  }
  return std::sqrt(sum);
}

}  // namespace mlp::bench
