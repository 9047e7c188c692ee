// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The kernels of L-BFGS on corrections that a test chooses.

#include <cmath>
#include <limits>
#include <vector>

#include "../../../cuda/solvers/lbfgs_arrays.hpp"
#include "../../../cuda/steps/lbfgs_gram.hpp"
#include "../../../cuda/steps/lbfgs_points.hpp"
#include "../../../optim/lbfgs/lbfgs_history.hpp"
#include "../device_numbers.hpp"

namespace mlp::testing {

/// What the device computed.
struct Direction {
  std::vector<double> direction;  // empty if it was refused
  double gradient_product = 0.0;
  double squares = 0.0;

  bool operator==(const Direction&) const = default;
};

/// Pushes corrections and computes a direction, on the device.
class LbfgsProbe {
 public:
  LbfgsProbe(Index num_weights, Index history_size)
      : arrays_(num_weights, history_size, 0, stream_) {}

  /// Moves x by a step and the gradient by a change.
  void push(const Vector& step, const Vector& change) {
    push_zeros_first();
    if (arrays_.history_size() == 0) return;
    const bool is_full = command_.num_corrections == arrays_.history_size();
    if (!is_full) arrays_.grow(++command_.num_corrections, stream_);
    command_.newest = num_pushed_++ % arrays_.history_size();
    x_ += step;
    gradient_ += change;
    move(cuda::LbfgsMove::kAccept);
    cuda::compute_coefficients(arrays_.memory(), stream_.get());
  }

  /// Computes the direction for a gradient.
  Direction descend(const Vector& gradient) {
    push_zeros_first();
    gradient_ = gradient;
    move(cuda::LbfgsMove::kTake);
    const cuda::LbfgsMemory& memory = arrays_.memory();
    cuda::compute_coefficients(memory, stream_.get());
    cuda::combine_direction(memory, stream_.get());
    const cuda::LbfgsResults results = read(memory.results, 1)[0];
    Direction result;
    if (results.is_refused != 0) return result;
    result.direction = read(memory.direction, memory.num_weights);
    result.gradient_product = results.direction_gradient;
    result.squares = results.direction_squares;
    return result;
  }

  [[nodiscard]] const cuda::LbfgsMemory& memory() const {
    return arrays_.memory();
  }

  /// Copies numbers from the device.
  template <typename T>
  [[nodiscard]] std::vector<T> read(const T* from, Index size) const {
    std::vector<T> numbers(static_cast<std::size_t>(size));
    if (size == 0) return numbers;
    cuda::check(
        cudaMemcpyAsync(numbers.data(), from, numbers.size() * sizeof(T),
                        cudaMemcpyDeviceToHost, stream_.get()),
        "cudaMemcpyAsync");
    stream_.synchronize();
    return numbers;
  }

  /// Copies numbers to the device, to the start of an array.
  template <typename T>
  void write(const std::vector<T>& numbers, const T* to) const {
    cuda::check(cudaMemcpyAsync(const_cast<T*>(to), numbers.data(),
                                numbers.size() * sizeof(T),
                                cudaMemcpyHostToDevice, stream_.get()),
                "cudaMemcpyAsync");
    stream_.synchronize();
  }

  /// Writes the command for the next work.
  void command(cuda::LbfgsCommand command) {
    write(std::vector<cuda::LbfgsCommand>{command}, memory().command);
  }

  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }

 private:
  void push_zeros_first() {
    if (x_.size() != 0) return;
    x_ = Vector::Zero(arrays_.memory().num_weights);
    gradient_ = x_;
    move(cuda::LbfgsMove::kTake);
  }

  void move(cuda::LbfgsMove how) {
    command_.move = how;
    command(command_);
    write(std::vector<double>(x_.begin(), x_.end()), memory().trial_x);
    write(std::vector<double>(gradient_.begin(), gradient_.end()),
          memory().trial_gradient);
    cuda::move_to_trial(memory(), stream_.get());
    stream_.synchronize();
  }

  cuda::Stream stream_;
  cuda::LbfgsArrays arrays_;
  cuda::LbfgsCommand command_;
  Index num_pushed_ = 0;
  Vector x_, gradient_;
};

/// Corrections as those of a convex function with the given condition.
struct Corrections {
  std::vector<Vector> steps, changes;
  Vector gradient;
};

inline Vector random_vector(Index size, std::uint64_t seed) {
  const std::vector<double> numbers = drawn_numbers<double>(size, seed);
  return Eigen::Map<const Vector>(numbers.data(), size);
}

inline Corrections corrections_of(Index num_weights, Index num,
                                  double condition) {
  const Vector curvature =
      Vector::LinSpaced(num_weights, 0.0, std::log(condition)).array().exp();
  Corrections made;
  for (Index i = 0; i < num; ++i) {
    const auto seed = static_cast<std::uint64_t>(i + 1);
    made.steps.push_back(random_vector(num_weights, seed));
    made.changes.push_back(curvature.cwiseProduct(made.steps.back()));
  }
  made.gradient = random_vector(num_weights, 1000);
  return made;
}

/// The direction of the host; nothing if it refuses.
inline std::vector<double> descend_on_host(const Corrections& corrections,
                                           Index history_size) {
  optim::LbfgsHistory history(history_size);
  Vector x = Vector::Zero(corrections.gradient.size());
  Vector gradient = x;
  for (std::size_t i = 0; i < corrections.steps.size(); ++i) {
    const Vector new_x = x + corrections.steps[i];
    const Vector new_gradient = gradient + corrections.changes[i];
    history.push(x, new_x, gradient, new_gradient);
    x = new_x;
    gradient = new_gradient;
  }
  Vector direction;
  if (!history.descend(corrections.gradient, direction)) return {};
  return {direction.begin(), direction.end()};
}

inline Direction descend_on_device(const Corrections& corrections,
                                   Index history_size) {
  LbfgsProbe probe(corrections.gradient.size(), history_size);
  for (std::size_t i = 0; i < corrections.steps.size(); ++i) {
    probe.push(corrections.steps[i], corrections.changes[i]);
  }
  return probe.descend(corrections.gradient);
}

/// |a - b| / |b|.
inline double difference(const std::vector<double>& a,
                         const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  const auto size = static_cast<Index>(a.size());
  const Eigen::Map<const Vector> x(a.data(), size);
  const Eigen::Map<const Vector> y(b.data(), size);
  return (x - y).norm() / y.norm();
}

}  // namespace mlp::testing
