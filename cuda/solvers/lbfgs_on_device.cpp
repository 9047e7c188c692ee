// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "lbfgs_on_device.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../optim/lbfgs/lbfgs_history.hpp"
#include "../../optim/resumable.hpp"
#include "../runtime/device_copy.hpp"
#include "../steps/lbfgs_gram.hpp"
#include "../steps/lbfgs_points.hpp"
#include "../steps/vector_sums.hpp"

namespace mlp::cuda {

LbfgsOnDevice::LbfgsOnDevice(FullProblem problem, Index history_size)
    : evaluation_(std::move(problem)),
      arrays_(evaluation_.num_weights(), history_size, FullEvaluation::kTail,
              evaluation_.stream()),
      command_(1),
      results_(1),
      direction_work_(evaluation_.is_capturable()),
      trial_work_(evaluation_.is_capturable()) {}

void LbfgsOnDevice::start(const Vector& x) {
  copy_to_device(x.data(), x.size(), memory().x, stream());
  stream().synchronize();
  pending_ = LbfgsMove::kNone;
  num_corrections_ = 0;
  has_trial_ = false;
  has_left_x_ = false;
  gradient_squares_.reset();
  host_x_ = x;
}

double LbfgsOnDevice::evaluate() {
  move_now();
  has_trial_ = false;
  command(0.0, false, evaluation_.poll());
  add_command();
  copy_on_device(memory().x, memory().num_weights, memory().trial_x, stream());
  add_trial_evaluation();
  wait_for_trial();
  has_left_x_ = false;
  slope_ = results().slope;
  gradient_squares_ = results().gradient_squares;
  pending_ = LbfgsMove::kTake;
  return results().value;
}

bool LbfgsOnDevice::choose_direction(bool has_unit_trial) {
  has_trial_ = false;
  // After a failed search x is evaluated again before the next trial.
  const bool evaluates_trial = !has_left_x_;
  command(1.0, has_unit_trial, evaluates_trial ? evaluation_.poll() : 0.0);
  if (evaluates_trial) {
    direction_work_.run(stream(), [this] {
      add_direction();
      make_trial(memory(), stream().get());
      add_trial_evaluation();
    });
    pending_ = LbfgsMove::kNone;
    wait_for_trial();
  } else {
    add_direction();
    copy_to_host(memory().results, 1, results_.data(), stream());
    stream().synchronize();
  }
  if (results().is_refused != 0) return false;
  has_trial_ = evaluates_trial;
  slope_ = results().direction_gradient;
  return true;
}

double LbfgsOnDevice::direction_norm() {
  return std::sqrt(results().direction_squares);
}

double LbfgsOnDevice::gradient_norm() {
  if (!gradient_squares_) {
    compute_dot_products(gradient_on_device(), memory().direction,
                         memory().num_weights, memory().partials,
                         &memory().results->slope, stream().get());
    double squares = 0.0;
    copy_to_host(&memory().results->gradient_squares, 1, &squares, stream());
    stream().synchronize();
    gradient_squares_ = squares;
  }
  return std::sqrt(*gradient_squares_);
}

double LbfgsOnDevice::gradient_max() {
  return read(gradient_on_device()).cwiseAbs().maxCoeff();
}

optim::LinePoint LbfgsOnDevice::trial(double t) {
  has_left_x_ = true;
  if (!has_trial_ || t != results().step) {
    move_now();
    has_trial_ = false;
    command(t, false, evaluation_.poll());
    trial_work_.run(stream(), [this] {
      add_command();
      make_trial(memory(), stream().get());
      add_trial_evaluation();
    });
    wait_for_trial();
    has_trial_ = true;
  }
  return {t, results().value, results().slope};
}

bool LbfgsOnDevice::has_moved() {
  return read(memory().trial_x) != read(memory().x);
}

void LbfgsOnDevice::accept() {
  move_now();
  has_trial_ = false;
  if (arrays_.history_size() == 0) {
    pending_ = LbfgsMove::kTake;
  } else {
    const bool is_full = num_corrections_ == arrays_.history_size();
    const Index slot =
        is_full ? (newest_ + 1) % arrays_.history_size() : num_corrections_;
    if (arrays_.grow(slot + 1, stream())) {
      direction_work_.reset();
      trial_work_.reset();
    }
    newest_ = slot;
    if (!is_full) ++num_corrections_;
    pending_ = LbfgsMove::kAccept;
  }
  has_left_x_ = false;
  gradient_squares_ = results().gradient_squares;
  host_x_.reset();
}

void LbfgsOnDevice::clear_history() {
  move_now();
  num_corrections_ = 0;
}

const Vector& LbfgsOnDevice::x() {
  if (!host_x_) host_x_ = read(x_on_device());
  return *host_x_;
}

void LbfgsOnDevice::save_point(ByteWriter& state) const {
  state.write_vector(read(x_on_device()));
  state.write_vector(read(gradient_on_device()));
}

void LbfgsOnDevice::save_history(ByteWriter& state) const {
  state.write(std::int64_t{arrays_.history_size()});
  state.write(std::int64_t{num_corrections_});
  LbfgsCommand command;
  command.newest = newest_;
  const auto write = [&](const Vector& s, const Vector& y) {
    state.write_vector(s);
    state.write_vector(y);
    state.write(s.dot(y));
  };
  const bool is_newest_pending = pending_ == LbfgsMove::kAccept;
  for (Index age = num_corrections_; age-- > (is_newest_pending ? 1 : 0);) {
    const Index first =
        slot_of(command, memory().capacity, age) * memory().num_weights;
    write(read(memory().s + first), read(memory().y + first));
  }
  if (is_newest_pending) {
    write(read(memory().trial_x) - read(memory().x),
          read(memory().trial_gradient) - read(memory().gradient));
  }
}

void LbfgsOnDevice::restore_point(ByteReader& state, Index num_weights) {
  start(optim::read_flat<double>(state, num_weights));
  const Vector gradient = optim::read_flat<double>(state, num_weights);
  copy_to_device(gradient.data(), num_weights, memory().gradient, stream());
  stream().synchronize();
}

void LbfgsOnDevice::restore_history(ByteReader& state, Index num_weights) {
  num_corrections_ =
      optim::LbfgsHistory::read_size(state, arrays_.history_size());
  if (arrays_.grow(num_corrections_, stream())) {
    direction_work_.reset();
    trial_work_.reset();
  }
  for (Index slot = 0; slot < num_corrections_; ++slot) {
    for (double* const to : {memory().s, memory().y}) {
      const Vector numbers = optim::read_flat<double>(state, num_weights);
      copy_to_device(numbers.data(), num_weights, to + slot * num_weights,
                     stream());
      stream().synchronize();
    }
    static_cast<void>(state.read<double>());  // the device's are recomputed
  }
  newest_ = std::max<Index>(num_corrections_ - 1, 0);
  compute_products();
}

/// Computes the products of the restored corrections.
void LbfgsOnDevice::compute_products() {
  const Index newest = newest_;
  const Index size = num_corrections_;
  for (newest_ = 0; newest_ < size; ++newest_) {
    num_corrections_ = newest_ + 1;
    command(0.0, false, 0.0);
    add_command();
    compute_coefficients(memory(), stream().get());
    stream().synchronize();
  }
  newest_ = newest;
}

void LbfgsOnDevice::command(double step, bool is_step_normalised,
                            double stop_request) {
  command_[0] = {
      pending_,    newest_, num_corrections_, step, is_step_normalised ? 1 : 0,
      stop_request};
}

void LbfgsOnDevice::add_command() {
  copy_to_device(command_.data(), 1, memory().command, stream());
}

void LbfgsOnDevice::add_direction() {
  add_command();
  move_to_trial(memory(), stream().get());
  pending_ = LbfgsMove::kNone;  // also if what follows throws
  compute_coefficients(memory(), stream().get());
  combine_direction(memory(), stream().get());
}

/// Adds the evaluation of the trial point, and the copy of the results.
void LbfgsOnDevice::add_trial_evaluation() {
  static_assert(offsetof(LbfgsResults, stop_requests) ==
                offsetof(LbfgsResults, value) + sizeof(double));
  evaluation_.add(&memory().command->stop_request, memory().trial_x,
                  memory().trial_gradient, &memory().results->value);
  measure_trial(memory(), stream().get());
  copy_to_host(memory().results, 1, results_.data(), stream());
}

void LbfgsOnDevice::wait_for_trial() {
  evaluation_.wait();
  FullEvaluation::check(results().stop_requests);
}

/// Moves x to the trial point if that is pending.
void LbfgsOnDevice::move_now() {
  if (pending_ == LbfgsMove::kNone) return;
  command(0.0, false, 0.0);
  add_command();
  move_to_trial(memory(), stream().get());
  stream().synchronize();
  pending_ = LbfgsMove::kNone;
}

const double* LbfgsOnDevice::x_on_device() const {
  return pending_ == LbfgsMove::kNone ? memory().x : memory().trial_x;
}

const double* LbfgsOnDevice::gradient_on_device() const {
  return pending_ == LbfgsMove::kNone ? memory().gradient
                                      : memory().trial_gradient;
}

Vector LbfgsOnDevice::read(const double* from) const {
  Vector numbers(memory().num_weights);
  copy_to_host(from, numbers.size(), numbers.data(), stream());
  stream().synchronize();
  return numbers;
}

}  // namespace mlp::cuda
