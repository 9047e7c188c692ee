// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "gradient_descent_on_device.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "../../optim/resumable.hpp"
#include "../runtime/device_copy.hpp"
#include "../steps/gradient_step.hpp"
#include "../steps/vector_sums.hpp"

namespace mlp::cuda {

GradientDescentOnDevice::GradientDescentOnDevice(FullProblem problem)
    : evaluation_(std::move(problem)),
      x_(evaluation_.num_weights()),
      previous_(evaluation_.num_weights()),
      gradient_(evaluation_.num_weights()),
      next_gradient_(evaluation_.num_weights() + FullEvaluation::kTail),
      partials_(2 * num_partials(evaluation_.num_weights())),
      device_command_(1),
      device_results_(1),
      command_(1),
      results_(1),
      evaluation_work_(evaluation_.is_capturable()),
      step_work_(true) {
  // Each copy to the host reads all results, and the first work makes a few.
  device_results_.clear(stream());
}

void GradientDescentOnDevice::start(const Vector& x) {
  copy_to_device(x.data(), x.size(), x_.data(), stream());
  stream().synchronize();
  host_x_ = x;
}

double GradientDescentOnDevice::evaluate() {
  command_[0] = {0.0, evaluation_.poll()};
  evaluation_work_.run(stream(), [this] { add_evaluation(); });
  evaluation_.wait();
  FullEvaluation::check(results_[0].stop_requests);
  copy_on_device(next_gradient_.data() + FullEvaluation::kTail,
                 gradient_.size(), gradient_.data(), stream());
  return results_[0].value;
}

void GradientDescentOnDevice::step(double step_size) {
  command_[0] = {step_size, 0.0};
  step_work_.run(stream(), [this] { add_step(); });
  stream().synchronize();
  host_x_.reset();
}

double GradientDescentOnDevice::norm() {
  return std::sqrt(results_[0].squares);
}

double GradientDescentOnDevice::moved_distance() {
  return std::sqrt(results_[0].moved_squares);
}

const Vector& GradientDescentOnDevice::x() {
  if (!host_x_) host_x_ = read(x_);
  return *host_x_;
}

void GradientDescentOnDevice::save(ByteWriter& state, bool is_moved) const {
  state.write_vector(read(is_moved ? previous_ : x_));
  state.write_vector(read(gradient_));
}

void GradientDescentOnDevice::restore(ByteReader& state, Index num_weights) {
  start(optim::read_flat<double>(state, num_weights));
  const Vector gradient = optim::read_flat<double>(state, num_weights);
  copy_to_device(gradient.data(), num_weights, gradient_.data(), stream());
  stream().synchronize();
}

void GradientDescentOnDevice::add_evaluation() {
  static_assert(offsetof(Results, stop_requests) ==
                offsetof(Results, value) + sizeof(double));
  copy_to_device(command_.data(), 1, device_command_.data(), stream());
  evaluation_.add(&device_command_.data()->stop_request, x_.data(),
                  next_gradient_.data() + FullEvaluation::kTail,
                  &device_results_.data()->value);
  copy_to_host(device_results_.data(), 1, results_.data(), stream());
}

void GradientDescentOnDevice::add_step() {
  static_assert(offsetof(Results, squares) ==
                offsetof(Results, moved_squares) + sizeof(double));
  copy_to_device(command_.data(), 1, device_command_.data(), stream());
  const GradientStep step = {x_.size(), &device_command_.data()->step_size,
                             gradient_.data(), x_.data(), previous_.data()};
  make_gradient_step(step, partials_.data(),
                     &device_results_.data()->moved_squares, stream().get());
  copy_to_host(device_results_.data(), 1, results_.data(), stream());
}

Vector GradientDescentOnDevice::read(const DeviceArray<double>& from) const {
  Vector numbers(x_.size());
  copy_to_host(from.data(), numbers.size(), numbers.data(), stream());
  stream().synchronize();
  return numbers;
}

}  // namespace mlp::cuda
