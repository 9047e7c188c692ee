// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>
#include <variant>

#include "../../../core/error.hpp"
#include "../../../core/names.hpp"
#include "../../../mlp/instances/instance_weights.hpp"
#include "../../../mlp/model_file/model_document.hpp"
#include "../../../mlp/params/preset.hpp"
#include "../../../mlp/params/value_spelling.hpp"
#include "../../../mlp/regressor.hpp"
#include "../../../mlp/selection/select_model.hpp"
#include "../../../mlp/selection/selection_folds.hpp"
#include "../backends.hpp"
#include "../bindings.hpp"
#include "../data/features.hpp"

namespace mlp::python {

namespace {

/// Returns the value with a name.
///
/// \tparam list  the values with their names
/// \throws ParamError
template <const auto& list>
auto parse_name(const std::string& param, const std::string& text) {
  const auto value = find_named(list, text);
  if (value) return *value;
  throw ParamError(param, "must be " + join_choices(kNamesOf<list>) +
                              "; got '" + text + "'" +
                              did_you_mean({param, kNamesOf<list>}, text));
}

/// Makes instances in the memory of an object of Python.
template <typename Features>
void make_instances(Instances* self, Features features, Labels labels,
                    std::optional<Numbers> weights,
                    std::optional<Numbers> groups) {
  new (self) Instances{std::move(features), std::move(labels),
                       std::move(weights), std::move(groups)};
}

}  // namespace

std::size_t take(const Instances& instances, datasets::Dataset& data) {
  take_labels(instances.labels, data);
  if (instances.weights) data.weights = to_vector(*instances.weights);
  if (instances.groups) {
    const Vector numbers = to_vector(*instances.groups);
    data.groups.assign(numbers.begin(), numbers.end());
  }
  if (const auto* const stored =
          std::get_if<datasets::StoredFeatures>(&instances.features)) {
    // The caller has checked what it wrote.
    data.stored = std::make_shared<const datasets::StoredFeatures>(*stored);
    return 0;
  }
  const std::size_t bytes_copied =
      take_features(std::get<Rows>(instances.features), data);
  check_finite(data.feature_matrix(), 0);
  return bytes_copied;
}

FitOptions options_of(const Settings& settings) {
  FitOptions options;
  options.backend = &training_backend(settings.backend, settings.device);
  options.precision =
      parse_name<kPrecisionNames>("precision", settings.precision);
  options.num_threads = settings.threads;
  options.is_standardizing = settings.is_standardizing;
  options.has_final_scale = settings.has_final_scale;
  if (settings.keeps_diverged) options.on_divergence = OnDivergence::kReturn;
  return options;
}

FitResult train(const Settings& settings, const datasets::Dataset& data,
                const FitOptions& options, std::string& note) {
  const bool is_open = settings.effort.empty();
  const Effort effort =
      !is_open ? parse_name<kEffortNames>("effort", settings.effort)
      : find_single_training(settings.params, options).empty()
          ? Effort::kStandard
          : Effort::kQuick;
  check_coverage(settings.params, settings.coverage, effort);
  if (effort == Effort::kQuick) refuse_groups(data);
  if (effort != Effort::kQuick) {
    const std::vector<std::string_view> given(settings.given.begin(),
                                              settings.given.end());
    SelectionFacts facts{data.num_instances(), effort, given};
    facts.coverage = settings.coverage;
    const SelectionChoice choice =
        plan_selection(settings.params, facts, options);
    note = choice.note;
    if (choice.plan) {
      return select_model(settings.params, data, options, *choice.plan);
    }
    refuse_groups(data);
  }
  return settings.params.task == Task::kRegression
             ? Regressor(settings.params).fit(data, options)
             : Classifier(settings.params).fit(data, options);
}

ScoredModel make_model(const Settings& settings, const datasets::Dataset& data,
                       FitResult result, Index num_instances) {
  result.model.set_feature_names(settings.feature_names);
  if (settings.column_encoding) {
    result.model.set_input_columns(settings.column_encoding->columns);
    result.model.set_input_rules(settings.column_encoding->rules);
  }
  result.model.set_label_names(settings.label_names);
  result.model.set_label_column(settings.label_column);
  Params params = settings.params;
  if (result.selection) params.reg_param = result.selection->reg_param;
  ModelDocument document =
      make_model_document(std::move(result.model), std::move(params),
                          std::move(result.summary), data, scoring_backend());
  document.selection = result.selection;
  document.precision =
      parse_name<kPrecisionNames>("precision", settings.precision);
  document.num_instances = num_instances;
  return ScoredModel(std::move(document));
}

void bind_settings(nb::module_& module) {
  nb::class_<CheckpointSettings>(module, "CheckpointSettings")
      .def(nb::init<>())
      .def_rw("file", &CheckpointSettings::file)
      .def_rw("seconds", &CheckpointSettings::seconds)
      .def_rw("resume_file", &CheckpointSettings::resume_file)
      .def_rw("data", &CheckpointSettings::data);
  nb::class_<Settings>(module, "Settings")
      .def(nb::init<>())
      .def_rw("params", &Settings::params)
      .def_rw("standardize", &Settings::is_standardizing)
      .def_rw("has_final_scale", &Settings::has_final_scale)
      .def_rw("keeps_diverged", &Settings::keeps_diverged)
      .def_rw("precision", &Settings::precision)
      .def_rw("backend", &Settings::backend)
      .def_rw("device", &Settings::device)
      .def_rw("threads", &Settings::threads)
      .def_rw("effort", &Settings::effort)
      .def_rw("coverage", &Settings::coverage, nb::arg().none())
      .def_rw("given", &Settings::given)
      .def_rw("partition_sizes", &Settings::partition_sizes)
      .def_rw("feature_names", &Settings::feature_names)
      .def_rw("column_encoding", &Settings::column_encoding, nb::arg().none())
      .def_rw("label_names", &Settings::label_names)
      .def_rw("label_column", &Settings::label_column)
      .def_rw("shows_weights", &Settings::shows_weights)
      .def_rw("handles_signals", &Settings::handles_signals)
      .def_rw("checkpoint", &Settings::checkpoint);
  nb::class_<Instances>(module, "Instances")
      .def("__init__", &make_instances<datasets::StoredFeatures>,
           nb::arg("features"), nb::arg("labels").noconvert(),
           nb::arg("weights").noconvert().none() = nb::none(),
           nb::arg("groups").noconvert().none() = nb::none())
      .def("__init__", &make_instances<Rows>, nb::arg("features").noconvert(),
           nb::arg("labels").noconvert(),
           nb::arg("weights").noconvert().none() = nb::none(),
           nb::arg("groups").noconvert().none() = nb::none());
  module.def(
      "check_weights",
      [](const Numbers& weights) {
        datasets::Dataset data;
        data.weights = to_vector(weights);
        data.features.resize(0, data.weights.size());
        check_instance_weights(data);
        check_weight_sum(data.weights.sum(), "");
      },
      nb::arg("weights").noconvert(),
      "Refuses weights that are negative or not finite, or have no sum > 0.");
}

}  // namespace mlp::python
