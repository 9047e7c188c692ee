// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "../core/byte_stream.hpp"
#include "../core/types.hpp"

namespace mlp::optim {

/// A solver whose state can be saved during a run.
///
/// A run that resumes from the saved bytes ends with the same bits as a run
/// that was not interrupted.
class Resumable {
 public:
  /// Appends the state after the iteration that the callback saw last.
  ///
  /// \pre  called from the callback, or from a later evaluation, for example to
  ///       save the state when the evaluation fails
  /// \cost one copy of every vector of the solver
  virtual void save(ByteWriter& state) const = 0;

 protected:
  Resumable() = default;
  Resumable(const Resumable&) = default;
  Resumable& operator=(const Resumable&) = default;
  ~Resumable() = default;
};

/// Called when an evaluation throws, before the exception passes on: the state of
/// the last iteration can still be saved. Must not throw. May be empty.
using FailureCallback = std::function<void()>;

/// Runs an evaluation, with a FailureCallback.
template <typename Evaluate>
auto evaluate_or_report(const FailureCallback& on_failure,
                        const Evaluate& evaluate) {
  try {
    return evaluate();
  } catch (...) {
    if (on_failure) on_failure();
    throw;
  }
}

/// Reads a vector and checks that it has one entry per weight.
///
/// \return [num_weights]
/// \throws ModelError if it has another size
template <typename Number>
[[nodiscard]] Eigen::Matrix<Number, Eigen::Dynamic, 1> read_flat(
    ByteReader& state, Index num_weights) {
  return state.read_vector<Eigen::Matrix<Number, Eigen::Dynamic, 1>>(
      num_weights, "the number of weights");
}

/// Writes the first fields of every update rule's state.
template <typename Number>
void write_rule_sizes(ByteWriter& state, Index num_weights, Index num_steps) {
  state.write(static_cast<std::int64_t>(sizeof(Number)));
  state.write(std::int64_t{num_weights});
  state.write(std::int64_t{num_steps});
}

/// Reads the fields that write_rule_sizes() wrote.
///
/// \return num_steps
/// \throws ModelError if the number type or num_weights differs or num_steps is
///         no count
template <typename Number>
[[nodiscard]] Index read_rule_sizes(ByteReader& state, Index num_weights) {
  state.require_equal(sizeof(Number), "the bytes of a number");
  state.require_equal(num_weights, "the number of weights");
  return state.read_count("the number of steps", 0);
}

}  // namespace mlp::optim
