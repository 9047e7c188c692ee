// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/names.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/model_file/model_document.hpp"
#include "../../mlp/regressor.hpp"
#include "../../mlp/training/fit_options.hpp"
#include "arrays.hpp"
#include "backends.hpp"
#include "interrupt.hpp"
#include "model.hpp"

namespace mlp::python {

namespace {

/// What a training reads besides the data.
struct Settings {
  Params params;
  bool is_standardizing = false;
  std::string precision = "float64";
  std::string backend = "auto";
  std::string device = "cpu";
  int threads = 1;
  std::vector<Index> partition_sizes;
  std::vector<std::string> feature_names;
  std::vector<std::string> label_names;
  std::string label_column;

  /// Ctrl-C stops the training. Only in the main thread.
  bool catches_interrupt = false;
};

/// Instances with arrays that must outlive the training.
struct Instances {
  Rows features;
  Labels labels;
  std::optional<Numbers> weights;
};

/// What a training ends with.
struct Outcome {
  nb::object model;  ///< a ScoredModel
  bool is_interrupted = false;
  std::size_t bytes_copied = 0;
};

Precision parse_precision(const std::string& text) {
  const auto precision = find_named(kPrecisionNames, text);
  if (precision) return *precision;
  throw ParamError("precision", "must be " +
                                    join_choices(kNamesOf<kPrecisionNames>) +
                                    "; got '" + text + "'");
}

/// \return the number of bytes copied
std::size_t take(const Instances& instances, datasets::Dataset& data) {
  take_labels(instances.labels, data);
  if (instances.weights) data.weights = to_vector(*instances.weights);
  const std::size_t bytes_copied = take_features(instances.features, data);
  check_finite(data.feature_matrix(), 0);
  return bytes_copied;
}

/// Calls a Python function after each iteration, and keeps what it raises.
class Watcher {
 public:
  explicit Watcher(nb::object function) : function_(std::move(function)) {}

  [[nodiscard]] bool is_active() const { return !function_.is_none(); }

  /// \return false to stop the training
  bool operator()(const optim::Iteration& iteration) {
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

  /// \pre the GIL is held
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  nb::object function_;
  std::exception_ptr error_;
};

/// Stops mini-batches whose objective is no longer finite.
bool is_lost(const Params& params, const optim::Iteration& iteration) {
  return has_mini_batches(params.solver) && !std::isfinite(iteration.objective);
}

FitOptions options_of(const Settings& settings, Watcher& watcher) {
  FitOptions options;
  options.backend = &training_backend(settings.backend, settings.device);
  options.precision = parse_precision(settings.precision);
  options.num_threads = settings.threads;
  options.is_standardizing = settings.is_standardizing;
  if (settings.catches_interrupt) {
    options.is_stopping = &InterruptGuard::flag();
  }
  options.on_iteration = [&settings,
                          &watcher](const optim::Iteration& iteration) {
    if (is_lost(settings.params, iteration)) return false;
    return !watcher.is_active() || watcher(iteration);
  };
  return options;
}

FitResult train(const Settings& settings, const datasets::Dataset& data,
                const FitOptions& options) {
  return settings.params.task == Task::kRegression
             ? Regressor(settings.params).fit(data, options)
             : Classifier(settings.params).fit(data, options);
}

ScoredModel make_model(const Settings& settings, const datasets::Dataset& data,
                       FitResult result) {
  result.model.set_feature_names(settings.feature_names);
  result.model.set_label_names(settings.label_names);
  result.model.set_label_column(settings.label_column);
  ModelDocument document =
      make_model_document(std::move(result.model), settings.params,
                          std::move(result.summary), data, scoring_backend());
  document.precision = parse_precision(settings.precision);
  return ScoredModel(std::move(document));
}

Outcome fit(const Settings& settings, const Instances& instances,
            const std::optional<Instances>& validation,
            const ScoredModel* warm_start, const nb::object& on_iteration) {
  datasets::Dataset data;
  std::size_t bytes_copied = take(instances, data);
  data.partition_sizes = settings.partition_sizes;
  datasets::Dataset held_out;
  Watcher watcher(on_iteration);
  FitOptions options = options_of(settings, watcher);
  if (validation) {
    bytes_copied += take(*validation, held_out);
    options.validation = &held_out;
  }
  if (warm_start != nullptr) options.warm_start = &warm_start->model();
  const InterruptGuard guard(settings.catches_interrupt);
  auto model = [&] {
    const nb::gil_scoped_release release;
    return make_model(settings, data, train(settings, data, options));
  }();
  watcher.rethrow();
  const bool is_interrupted =
      settings.catches_interrupt && InterruptGuard::flag();
  return {nb::cast(std::move(model)), is_interrupted, bytes_copied};
}

void bind_settings(nb::module_& module) {
  nb::class_<Settings>(module, "Settings")
      .def(nb::init<>())
      .def_rw("params", &Settings::params)
      .def_rw("standardize", &Settings::is_standardizing)
      .def_rw("precision", &Settings::precision)
      .def_rw("backend", &Settings::backend)
      .def_rw("device", &Settings::device)
      .def_rw("threads", &Settings::threads)
      .def_rw("partition_sizes", &Settings::partition_sizes)
      .def_rw("feature_names", &Settings::feature_names)
      .def_rw("label_names", &Settings::label_names)
      .def_rw("label_column", &Settings::label_column)
      .def_rw("catches_interrupt", &Settings::catches_interrupt);
}

}  // namespace

void bind_training(nb::module_& module) {
  bind_settings(module);
  nb::class_<Instances>(module, "Instances")
      .def(
          "__init__",
          [](Instances* self, Rows features, Labels labels,
             std::optional<Numbers> weights) {
            new (self) Instances{std::move(features), std::move(labels),
                                 std::move(weights)};
          },
          nb::arg("features").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("weights").noconvert().none() = nb::none());
  nb::class_<Outcome>(module, "Outcome")
      .def_ro("model", &Outcome::model)
      .def_ro("is_interrupted", &Outcome::is_interrupted)
      .def_ro("bytes_copied", &Outcome::bytes_copied);
  module.def("fit", &fit, nb::arg("settings"), nb::arg("instances"),
             nb::arg("validation") = nb::none(),
             nb::arg("warm_start") = nb::none(),
             nb::arg("on_iteration") = nb::none(), "Trains a network.");
}

}  // namespace mlp::python
