// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../datasets/input_column.hpp"
#include "../../../distributed/allreduce.hpp"
#include "../../../mlp/checkpoint/checkpoint_file.hpp"
#include "../../../mlp/model/scoring_columns.hpp"
#include "../../../mlp/training/fit/standardized_fit.hpp"
#include "../../../mlp/training/train.hpp"
#include "../../../mlp/training/training_fingerprint.hpp"
#include "../../../optim/iteration_callback.hpp"
#include "../bindings.hpp"
#include "../data/arrays.hpp"
#include "../data/column_encoding.hpp"
#include "../model/model.hpp"
#include "main_thread.hpp"
#include "ranks.hpp"
#include "settings.hpp"

namespace mlp::python {

namespace {

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
        goes_on = answer.is_none() || is_true(answer);
      });
    } catch (...) {
      error_ = std::current_exception();
    }
    return goes_on;
  }

  /// Returns the truth value of what the function returned.
  ///
  /// \throws nb::python_error if it has none, such as an array of several numbers
  static bool is_true(const nb::object& answer) {
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) nb::raise_python_error();
    return truth != 0;
  }

  nb::object function_;
  MainThread& thread_;
  bool shows_weights_;
  std::exception_ptr error_;
};

using Clock = std::chrono::steady_clock;

std::string read_state(const std::string& file,
                       const std::string& fingerprint) {
  std::optional<Checkpoint> checkpoint = read_checkpoint(file);
  if (checkpoint) return take_state(*std::move(checkpoint), fingerprint, file);
  throw ModelError(file, "does not exist; expected a checkpoint");
}

/// Makes the options with which a fit saves its state, and reads the state to
/// resume from. All ranks have the same settings; rank 0 writes the states that
/// are due.
///
/// \param      options  of the fit, without the checkpoint
/// \param[out] failure  the sentence of the last write that failed; the training
///                      goes on. Must outlive the fit
/// \throws ModelError if the file to resume from is missing, is not a checkpoint
///         or is a checkpoint of another training
CheckpointOptions make_checkpoint_options(const CheckpointSettings& settings,
                                          const Params& params,
                                          const FitOptions& options,
                                          std::string& failure) {
  CheckpointOptions made;
  const std::string fingerprint =
      training_fingerprint(params, settings.data, options);
  if (!settings.resume_file.empty()) {
    made.state = read_state(settings.resume_file, fingerprint);
    made.state_name = settings.resume_file;
  }
  if (settings.file.empty()) return made;
  const auto last = std::make_shared<Clock::time_point>(Clock::now());
  made.is_due = [last, seconds = settings.seconds](Index /*iterations*/,
                                                   bool /*is_mid_epoch*/) {
    const std::chrono::duration<double> elapsed = Clock::now() - *last;
    return elapsed.count() >= seconds;
  };
  made.write = [last, fingerprint, &failure,
                file = settings.file](const std::string& state) {
    try {
      write_checkpoint(file, {fingerprint, state});
    } catch (const std::exception& error) {
      failure = error.what();
    }
    *last = Clock::now();
  };
  return made;
}

/// What a training ends with.
struct Outcome {
  nb::object model;      ///< a ScoredModel
  nb::object interrupt;  ///< the exception of a handler of signals, or None
  std::size_t bytes_copied = 0;
  std::string checkpoint_failure;  ///< of the last write that failed
  std::string note;                ///< why there was one training only
  nb::list warnings;               ///< (code, sentence, numbers) of each
};

/// Returns warnings as Python reads them.
nb::list list_warnings(const std::vector<FitWarning>& warnings) {
  nb::list list;
  for (const FitWarning& warning : warnings) {
    nb::dict numbers;
    for (const auto& [name, number] : warning.numbers) {
      numbers[name.c_str()] = number;
    }
    list.append(nb::make_tuple(std::string(warning_name(warning.code)),
                               warning.sentence, numbers));
  }
  return list;
}

/// Replaces weights that no model file can store by zeros.
void clear_weights(Model& model) {
  Model cleared(model.topology(), Vector::Zero(model.weights().size()),
                model.thresholds());
  cleared.set_statistics(BatchNorm::initial_statistics(model.topology()));
  if (model.encoder()) cleared.set_encoder(*model.encoder());
  if (model.scaler()) cleared.set_scaler(*model.scaler());
  model = std::move(cleared);
}

/// The inputs of one training in the library's types.
struct Training {
  datasets::Dataset data;
  datasets::Dataset held_out;
  FitOptions options;
  Index num_instances = 0;  ///< of all ranks
  std::size_t bytes_copied = 0;
  std::string checkpoint_failure;

  Training() = default;
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;
};

/// Spreads a training over ranks, which tell each other their partitions.
///
/// \pre the GIL is held; it is released while this rank waits
void join(const Settings& settings, distributed::Allreduce& group,
          Training& training) {
  const nb::gil_scoped_release release;
  std::vector<Index>& sizes = training.options.distribution.partition_sizes;
  sizes = gather_partition_sizes(settings.partition_sizes,
                                 training.data.num_instances(), group);
  training.num_instances =
      std::accumulate(sizes.begin(), sizes.end(), Index{0});
  training.options.distribution.allreduce = &group;
}

/// Prepares what Instances, Settings and the other arguments name.
void prepare(const Settings& settings, const Instances& instances,
             const std::optional<Instances>& validation,
             const ScoredModel* warm_start, Training& training) {
  training.bytes_copied = take(instances, training.data);
  training.data.partition_sizes = settings.partition_sizes;
  training.data.feature_names = settings.feature_names;
  if (settings.column_encoding) {
    training.data.are_indicators =
        datasets::indicator_features(settings.column_encoding->columns);
  }
  training.num_instances = training.data.num_instances();
  if (validation) {
    training.bytes_copied += take(*validation, training.held_out);
    training.options.validation = &training.held_out;
  }
  if (warm_start != nullptr) {
    training.options.warm_start = &warm_start->model();
  }
}

/// Trains after all is prepared.
Outcome run(const Settings& settings, Training& training,
            const nb::object& on_iteration, MainThread& thread) {
  Watcher watcher(on_iteration, settings, thread);
  training.options.is_stopping = &thread.is_stopping();
  if (!on_iteration.is_none())
    training.options.on_iteration = std::ref(watcher);
  const bool has_ranks = training.options.distribution.allreduce != nullptr;
  training.options.checkpoint = make_checkpoint_options(
      settings.checkpoint,
      with_shuffle(settings.params, training.data, has_ranks), training.options,
      training.checkpoint_failure);
  std::vector<FitWarning> warnings;
  std::optional<ScoredModel> model;
  std::string note;
  thread.run([&] {
    FitResult result = train(settings, training.data, training.options, note);
    warnings = std::move(result.warnings);
    if (!result.model.weights().allFinite()) clear_weights(result.model);
    model.emplace(make_model(settings, training.data, std::move(result),
                             training.num_instances));
  });
  watcher.rethrow();
  return {
      nb::cast(*std::move(model)), thread.interrupt(), training.bytes_copied,
      training.checkpoint_failure, std::move(note),    list_warnings(warnings)};
}

Outcome fit(const Settings& settings, const Instances& instances,
            const std::optional<Instances>& validation,
            const ScoredModel* warm_start, const nb::object& on_iteration,
            const Ranks* ranks) {
  const auto group = ranks ? ranks->group() : nullptr;
  try {
    Training training;
    training.options = options_of(settings);
    prepare(settings, instances, validation, warm_start, training);
    if (group) join(settings, *group, training);
    MainThread thread(settings.handles_signals);
    return run(settings, training, on_iteration, thread);
  } catch (const std::exception& error) {
    // The other ranks would wait for this one.
    if (group) group->leave(error);
    throw;
  }
}

/// Returns the columns of tables to score, before there is a model.
ColumnEncoding scoring_encoding(const Instances& instances,
                                const std::vector<std::string>& names) {
  datasets::Dataset data;
  static_cast<void>(take(instances, data));
  check_instance_weights(data);
  return {scoring_columns(fit_scaler(data, nullptr), names), {}};
}

}  // namespace

void bind_training(nb::module_& module) {
  nb::class_<Outcome>(module, "Outcome")
      .def_ro("model", &Outcome::model)
      .def_ro("interrupt", &Outcome::interrupt)
      .def_ro("bytes_copied", &Outcome::bytes_copied)
      .def_ro("checkpoint_failure", &Outcome::checkpoint_failure)
      .def_ro("note", &Outcome::note)
      .def_ro("warnings", &Outcome::warnings);
  module.def("scoring_encoding", &scoring_encoding, nb::arg("instances"),
             nb::arg("feature_names"),
             "Returns the columns of tables that a model of a training which "
             "standardises scores; they may lack values.");
  module.def("fit", &fit, nb::arg("settings"), nb::arg("instances"),
             nb::arg("validation") = nb::none(),
             nb::arg("warm_start") = nb::none(),
             nb::arg("on_iteration") = nb::none(),
             nb::arg("ranks") = nb::none(), "Trains a network.");
}

}  // namespace mlp::python
