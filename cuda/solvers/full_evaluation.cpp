// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "full_evaluation.hpp"

#include <utility>

#include "../../optim/objective.hpp"
#include "../runtime/device_copy.hpp"

namespace mlp::cuda {

FullEvaluation::FullEvaluation(FullProblem problem)
    : problem_(std::move(problem)),
      penalty_(problem_.resident.penalty, num_weights(), *problem_.stream) {
  if (problem_.resident.allreduce) {
    layer_sums_ = std::make_unique<LayerSums<double>>(
        *problem_.resident.allreduce, problem_.resident.topology);
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
  const ResidentObjective& resident = problem_.resident;
  if (resident.allreduce) {
    resident.allreduce->announce("evaluation", num_evaluations_);
  }
  if (!resident.is_stopping || !resident.is_stopping()) return 0.0;
  if (!resident.allreduce) throw optim::Interrupted();
  return 1.0;
}

void FullEvaluation::wait() const {
  if (problem_.resident.allreduce) {
    problem_.resident.allreduce->wait(stream().get());
  } else {
    stream().synchronize();
  }
}

void FullEvaluation::check(double stop_requests) {
  if (stop_requests > 0.0) throw optim::Interrupted();
}

}  // namespace mlp::cuda
