// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/types.hpp"
#include "../../../datasets/missing_texts.hpp"
#include "../../../datasets/reading/known_columns.hpp"
#include "../../../mlp/model/scoring_columns.hpp"
#include "../../../mlp/model_json.hpp"
#include "../../../mlp/params/param_table.hpp"
#include "../../../optim/convergence_reason.hpp"
#include "../backends.hpp"
#include "../bindings.hpp"
#include "../data/arrays.hpp"
#include "../data/column_encoding.hpp"
#include "../files.hpp"

namespace mlp::python {

namespace {

/// Returns a view of numbers that the model owns.
nb::object view(const Vector& numbers, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, const double>(
      numbers.data(), {static_cast<std::size_t>(numbers.size())}, owner));
}

nb::object weights(nb::handle self) {
  return view(nb::cast<const ScoredModel&>(self).model().weights(), self);
}

nb::object statistics(nb::handle self) {
  return view(nb::cast<const ScoredModel&>(self).model().statistics(), self);
}

/// Returns where W and the biases of each layer begin in the weights.
std::vector<std::pair<Index, Index>> offsets(const ScoredModel& model) {
  const Topology& topology = model.model().topology();
  std::vector<std::pair<Index, Index>> result;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    result.emplace_back(topology.weight_offset(k), topology.bias_offset(k));
  }
  return result;
}

nb::object history(const std::vector<double>& numbers) {
  return to_array(Vector(Eigen::Map<const Vector>(
      numbers.data(), static_cast<Index>(numbers.size()))));
}

nb::object scaler(const ScoredModel& model) {
  if (!model.model().scaler()) return nb::none();
  return nb::make_tuple(
      to_array(Vector(model.model().scaler()->mean)),
      to_array(Vector(model.model().scaler()->standard_deviation)));
}

/// Returns how folds chose the model; None if they did not. Scores of no rows are left
/// out.
nb::object selection(const ScoredModel& model) {
  const auto& selection = model.document().selection;
  if (!selection) return nb::none();
  const bool is_regressor = model.model().is_regressor();
  const UnseenScores& unseen = selection->unseen;
  nb::dict facts;
  facts["folds"] = selection->num_folds;
  facts["networks"] = selection->num_networks;
  if (!is_regressor) facts["temperature"] = selection->temperature;
  facts["unseen_rows"] = unseen.num_instances;
  if (unseen.num_instances == 0) return facts;
  if (unseen.coverage) {
    facts["unseen_coverage"] = unseen.coverage->share;
    facts["unseen_mean_size"] = unseen.coverage->mean_size;
  }
  facts["unseen_loss"] = unseen.loss;
  if (is_regressor) return facts;
  facts["unseen_accuracy"] = unseen.accuracy;
  facts["calibration_error"] = unseen.calibration_error;
  return facts;
}

/// Returns the coverage, and what is added to the predictions; None without intervals.
nb::object prediction_interval(const ScoredModel& model) {
  const auto& interval = model.model().prediction_interval();
  if (!interval) return nb::none();
  return nb::make_tuple(interval->coverage, to_array(Vector(interval->lower)),
                        to_array(Vector(interval->upper)));
}

/// Returns the coverage and the least probability; None without sets.
nb::object prediction_set(const ScoredModel& model) {
  const auto& set = model.model().prediction_set();
  if (!set) return nb::none();
  return nb::make_tuple(set->coverage, set->least_probability);
}

/// Returns the feature, the first edge and the width of each bin; None if numbers are
/// not encoded.
nb::object bins(const ScoredModel& model) {
  const auto& encoder = model.model().encoder();
  if (!encoder) return nb::none();
  std::vector<Index> features;
  std::vector<double> begins;
  std::vector<double> widths;
  for (Index i = 0; i < encoder->num_features(); ++i) {
    const auto& edges = encoder->edges()[static_cast<std::size_t>(i)];
    for (std::size_t t = 1; t < edges.size(); ++t) {
      features.push_back(i);
      begins.push_back(edges[t - 1]);
      widths.push_back(edges[t] - edges[t - 1]);
    }
  }
  return nb::make_tuple(features, begins, widths);
}

/// Returns the encoding of numbers as numericEncoding spells it.
std::string numeric_encoding(const ScoredModel& model) {
  const auto& encoder = model.model().encoder();
  return format_numeric_encoding({encoder ? encoder->num_bins() : 0});
}

std::string param(const ScoredModel& model, std::string_view name) {
  const ParamInfo* const info = find_param(name);
  return info == nullptr ? "" : info->format(model.document().params);
}

/// Returns which columns of a table are the inputs of a model, by their names, and
/// true if they are columns to encode.
std::pair<std::vector<Index>, bool> match_columns(
    const ScoredModel& model, const std::vector<std::string>& names) {
  const std::vector<std::string> columns =
      datasets::column_names(model.model().input_columns());
  const datasets::ColumnMatch match(names);
  const std::vector<std::string>& features = model.model().feature_names();
  const bool is_encoded =
      columns.empty() || (!match.has_all(columns) && match.has_all(features));
  return {match.find(is_encoded ? features : columns), !is_encoded};
}

/// Returns a name for each class: its index if it has none.
std::vector<std::string> class_names(const ScoredModel& model) {
  std::vector<std::string> names;
  for (Index i = 0; i < model.model().num_classes(); ++i) {
    names.push_back(model.model().class_name(i));
  }
  return names;
}

/// Returns the numbers that mean a missing value by the rules of a model.
std::vector<double> missing_numbers(const ScoredModel& model) {
  return datasets::missing_texts_of(model.model().input_rules()).numbers();
}

ColumnEncoding column_encoding(const ScoredModel& model) {
  return {model.model().input_columns(), model.model().input_rules()};
}

/// Returns the columns of tables to score; they may lack values.
ColumnEncoding scoring_encoding(const ScoredModel& model) {
  return {scoring_columns(model.model()), model.model().input_rules()};
}

void bind_content(nb::class_<ScoredModel>& model) {
  const auto get = [&](const char* name, auto function) {
    model.def_prop_ro(name, function);
  };
  get("layers", [](const ScoredModel& m) { return m.model().layers(); });
  get("num_features",
      [](const ScoredModel& m) { return m.model().num_features(); });
  get("numeric_encoding", &numeric_encoding);
  get("bins", &bins);
  get("is_regressor",
      [](const ScoredModel& m) { return m.model().is_regressor(); });
  get("feature_names",
      [](const ScoredModel& m) { return m.model().feature_names(); });
  get("label_names",
      [](const ScoredModel& m) { return m.model().label_names(); });
  get("class_names", &class_names);
  get("label_column",
      [](const ScoredModel& m) { return m.model().label_column(); });
  get("label_name",
      [](const ScoredModel& m) { return m.model().known_label().name; });
  get("has_encoding",
      [](const ScoredModel& m) { return !m.model().input_columns().empty(); });
  get("has_columns",
      [](const ScoredModel& m) { return !m.model().input_columns().empty(); });
  get("column_encoding", &column_encoding);
  get("scoring_encoding", &scoring_encoding);
  get("missing_numbers", &missing_numbers);
  get("thresholds",
      [](const ScoredModel& m) { return m.model().thresholds(); });
  get("scaler", &scaler);
  get("offsets", &offsets);
  get("objective_history", [](const ScoredModel& m) {
    return history(m.document().summary.objective_history);
  });
  get("validation_history", [](const ScoredModel& m) {
    return history(m.document().summary.validation_history);
  });
  get("total_iterations", [](const ScoredModel& m) {
    return m.document().summary.total_iterations();
  });
  get("best_iteration", [](const ScoredModel& m) {
    return m.document().summary.best_iteration();
  });
  get("evaluations",
      [](const ScoredModel& m) { return m.document().summary.evaluations; });
  get("convergence_reason", [](const ScoredModel& m) {
    return optim::text_of(m.document().summary.convergence_reason).name;
  });
  get("num_instances",
      [](const ScoredModel& m) { return m.document().num_instances; });
  get("selection", &selection);
  get("prediction_interval", &prediction_interval);
  get("prediction_set", &prediction_set);
  model.def_prop_ro("weights", &weights);
  model.def_prop_ro("statistics", &statistics);
  model.def("param", &param, nb::arg("name"),
            "Returns a hyper-parameter of the training as JSON.");
}

ScoredModel load(const std::filesystem::path& path) {
  const nb::gil_scoped_release release;
  return ScoredModel(load_model(path.string()));
}

ScoredModel read_text(std::string_view text, const std::string& name) {
  const nb::gil_scoped_release release;
  return ScoredModel(from_json(text, name));
}

void save(const ScoredModel& model, const std::filesystem::path& file) {
  const std::string path = file.string();
  const nb::gil_scoped_release release;
  check_writable_file(path);
  save_model(path, model.document());
}

}  // namespace

ScoredModel::ScoredModel(ModelDocument document)
    : document_(std::move(document)),
      scorer_(document_.model, scoring_backend()) {}

void bind_model(nb::module_& module) {
  nb::class_<ScoredModel> model(module, "Model", "A trained network.");
  model.def_static("load", &load, nb::arg("path"));
  model.def_static("from_json", &read_text, nb::arg("text"),
                   nb::arg("name") = "model");
  model.def("save", &save, nb::arg("path"));
  model.def("to_json",
            [](const ScoredModel& m) { return to_json(m.document()); });
  model.def("match_columns", &match_columns, nb::arg("names"),
            "Finds the inputs of the model among the columns of a table.");
  bind_content(model);
  bind_parts(module, model);
  bind_scoring(model);
}

}  // namespace mlp::python
