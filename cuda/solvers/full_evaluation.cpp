// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "full_evaluation.hpp"

#include <cstddef>
#include <utility>

#include "../../optim/objective.hpp"
#include "device_copy.hpp"

namespace mlp::cuda {

FullEvaluation::FullEvaluation(FullProblem problem)
    : problem_(std::move(problem)),
      penalty_(problem_.ranges, problem_.penalty, problem_.num_weights,
               *problem_.stream) {}

void FullEvaluation::add(const double* stop_request, const double* weights,
                         double* gradient, double* sums) {
  const Index size = problem_.num_weights;
  if (!problem_.allreduce) {
    problem_.objective->add_evaluation(weights, sums, gradient, {});
    copy_on_device(stop_request, 1, sums + 1, stream());
  } else {
    problem_.objective->add_evaluation(weights, gradient + size, gradient, {});
    copy_on_device(stop_request, 1, gradient + size + 1, stream());
    problem_.allreduce->sum_on_device(
        gradient, static_cast<std::size_t>(size + kTail), stream().get());
    copy_on_device(gradient + size, kTail, sums, stream());
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
