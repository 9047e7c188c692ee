// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "../../optim/iteration_callback.hpp"

namespace mlp::python {

namespace nb = nanobind;

/// Calls a Python function after each iteration, and keeps what it raises.
class Watcher {
 public:
  /// \param function  may be None
  explicit Watcher(nb::object function) : function_(std::move(function)) {}

  /// \return false to stop the training
  bool operator()(const optim::Iteration& iteration) {
    return function_.is_none() || call(iteration);
  }

  /// \pre the GIL is held
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool call(const optim::Iteration& iteration) {
    const nb::gil_scoped_acquire acquire;
    try {
      nb::object loss = nb::none();
      if (iteration.validation_loss) {
        loss = nb::float_(*iteration.validation_loss);
      }
      const nb::object answer =
          function_(iteration.iteration, iteration.objective,
                    iteration.step_length, iteration.evaluations, loss);
      return !answer.is(nb::bool_(false));
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }

  nb::object function_;
  std::exception_ptr error_;
};

}  // namespace mlp::python
