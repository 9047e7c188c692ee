// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "full_evaluation.hpp"

#include <utility>

#include "../../optim/objective.hpp"
#include "device_copy.hpp"

namespace mlp::cuda {

FullEvaluation::FullEvaluation(FullProblem problem)
    : problem_(std::move(problem)),
      penalty_(problem_.ranges, problem_.penalty, problem_.num_weights,
               *problem_.stream) {
  if (problem_.allreduce) {
    layer_sums_ = std::make_unique<LayerSums<double>>(*problem_.allreduce,
                                                      *problem_.topology);
  }
}

void FullEvaluation::add(const double* stop_request, const double* weights,
                         double* gradient, double* sums) {
  if (!layer_sums_) {
    problem_.objective->add_evaluation(weights, sums, gradient, {});
    copy_on_device(stop_request, 1, sums + 1, stream());
  } else {
    double* const tail = gradient - kTail;
    const LayerEnqueued on_layer = layer_sums_->begin(stream(), gradient);
    problem_.objective->add_evaluation(weights, tail, gradient, on_layer);
    copy_on_device(stop_request, 1, tail + 1, stream());
    layer_sums_->finish(tail, kTail);
    copy_on_device(tail, kTail, sums, stream());
  }
  penalty_.add(weights, gradient, sums);
}

double FullEvaluation::poll() {
  ++num_evaluations_;
  if (problem_.allreduce) {
    problem_.allreduce->announce("evaluation", num_evaluations_);
  }
  if (!problem_.is_stopping || !problem_.is_stopping()) return 0.0;
  if (!problem_.allreduce) throw optim::Interrupted();
  return 1.0;
}

void FullEvaluation::wait() const {
  if (problem_.allreduce) {
    problem_.allreduce->wait(stream().get());
  } else {
    stream().synchronize();
  }
}

void FullEvaluation::check(double stop_requests) {
  if (stop_requests > 0.0) throw optim::Interrupted();
}

}  // namespace mlp::cuda
