// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "../../../optim/iteration_callback.hpp"
#include "../data/arrays.hpp"
#include "main_thread.hpp"
#include "settings.hpp"

namespace mlp::python {

namespace nb = nanobind;

/// Calls a Python function after each iteration, and keeps what it raises.
class Watcher {
 public:
  /// \param function  may be None
  /// \param thread    calls it; must outlive this object
  Watcher(nb::object function, const Settings& settings, MainThread& thread)
      : function_(std::move(function)),
        thread_(thread),
        shows_weights_(settings.shows_weights) {}

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
    bool goes_on = false;
    try {
      thread_.call([&] {
        nb::object loss = nb::none();
        if (iteration.validation_loss) {
          loss = nb::float_(*iteration.validation_loss);
        }
        nb::object weights = nb::none();
        if (shows_weights_) {
          const Vector& x = iteration.x;
          weights = to_array(Vector(x));
        }
        const nb::object answer = function_(
            iteration.iteration, iteration.objective, iteration.step_length,
            iteration.evaluations, loss, weights);
        goes_on = !answer.is(nb::bool_(false));
      });
    } catch (...) {
      error_ = std::current_exception();
    }
    return goes_on;
  }

  nb::object function_;
  MainThread& thread_;
  bool shows_weights_;
  std::exception_ptr error_;
};

}  // namespace mlp::python
