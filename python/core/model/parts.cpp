// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The parts of a model: reads them, makes a model of them, and replaces some.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/names.hpp"
#include "../../../core/types.hpp"
#include "../../../datasets/input_column.hpp"
#include "../../../mlp/mlp.hpp"
#include "../../../mlp/model/spark_weights.hpp"
#include "../../../mlp/model_file/assembled_document.hpp"
#include "../../../mlp/model_json.hpp"
#include "../../../mlp/params/export_format.hpp"
#include "../backends.hpp"
#include "../data/arrays.hpp"
#include "model.hpp"

namespace mlp::python {

namespace {

constexpr const char* kName = "model";  // in messages

/// A part that a model need not have.
struct Part {
  std::string_view name;
  const char* expected;  ///< completes "must be ..."
  void (*set)(ModelDocument& document, nb::handle value);
};

using Texts = std::vector<std::string>;

Vector to_numbers(nb::handle value) {
  return to_vector(nb::cast<Numbers>(value));
}

/// The table, in the order in which parts are set: the encoding of numbers tells how
/// many features there are.
constexpr auto kParts = std::to_array<Part>({
    {"edges", "the most bins of a feature, and a list of edges of each feature",
     [](ModelDocument& document, nb::handle value) {
       using Edges = std::vector<std::vector<double>>;
       auto [num_bins, edges] = nb::cast<std::pair<Index, Edges>>(value);
       document.model.set_encoder({num_bins, std::move(edges)});
     }},
    {"statistics", "a float64 array",
     [](ModelDocument& document, nb::handle value) {
       document.model.set_statistics(to_numbers(value));
     }},
    {"thresholds", "a list of numbers",
     [](ModelDocument& document, nb::handle value) {
       document.model.set_thresholds(nb::cast<std::vector<double>>(value));
     }},
    {"prediction_interval", "a coverage, and two float64 arrays",
     [](ModelDocument& document, nb::handle value) {
       const auto [coverage, lower, upper] =
           nb::cast<std::tuple<double, Numbers, Numbers>>(value);
       document.model.set_prediction_interval(
           {coverage, to_vector(lower), to_vector(upper)});
     }},
    {"prediction_set", "a coverage and a probability",
     [](ModelDocument& document, nb::handle value) {
       const auto [coverage, least] =
           nb::cast<std::pair<double, double>>(value);
       document.model.set_prediction_set({coverage, least});
     }},
    {"feature_names", "a list of texts in UTF-8",
     [](ModelDocument& document, nb::handle value) {
       document.model.set_feature_names(nb::cast<Texts>(value));
     }},
    {"label_names", "a list of texts in UTF-8",
     [](ModelDocument& document, nb::handle value) {
       document.model.set_label_names(nb::cast<Texts>(value));
     }},
    {"label_column", "a text in UTF-8",
     [](ModelDocument& document, nb::handle value) {
       document.model.set_label_column(nb::cast<std::string>(value));
     }},
    {"scaler", "float64 arrays of means and deviations",
     [](ModelDocument& document, nb::handle value) {
       const auto [mean, deviation] =
           nb::cast<std::pair<Numbers, Numbers>>(value);
       document.model.set_scaler({to_vector(mean), to_vector(deviation)});
     }},
    {"columns", "a list of InputColumn",
     [](ModelDocument& document, nb::handle value) {
       document.model.set_input_columns(
           nb::cast<std::vector<datasets::InputColumn>>(value));
     }},
    {"unknown", "refuse, ignore or other",
     [](ModelDocument& document, nb::handle value) {
       datasets::InputRules rules = document.model.input_rules();
       const auto name = nb::cast<std::string>(value);
       const auto rule = find_named(datasets::kUnknownRuleNames, name);
       if (!rule) {
         throw ParamError(
             "unknown",
             "must be " + join_choices(kNamesOf<datasets::kUnknownRuleNames>) +
                 "; got '" + name + "'");
       }
       rules.unknown = *rule;
       document.model.set_input_rules(std::move(rules));
     }},
    {"missing_texts", "a list of texts in UTF-8",
     [](ModelDocument& document, nb::handle value) {
       datasets::InputRules rules = document.model.input_rules();
       rules.missing_texts = nb::cast<Texts>(value);
       document.model.set_input_rules(std::move(rules));
     }},
});

Loss parse_loss(const std::string& text) {
  const auto loss = find_named(kLossNames, text);
  if (loss) return *loss;
  throw ParamError("loss", "must be " + join_choices(kNamesOf<kLossNames>) +
                               "; got '" + text + "'");
}

void set_parts(const nb::kwargs& parts, ModelDocument& document) {
  for (const auto& [key, value] : parts) {
    const auto name = nb::cast<std::string>(key);
    const bool is_known =
        std::any_of(kParts.begin(), kParts.end(),
                    [&](const Part& known) { return known.name == name; });
    if (!is_known) {
      throw nb::type_error(("a model has no part " + name).c_str());
    }
  }
  for (const Part& part : kParts) {
    const nb::str name(part.name.data(), part.name.size());
    if (!parts.contains(name)) continue;
    const nb::object value = parts[name];
    try {
      part.set(document, value);
    } catch (const nb::cast_error&) {
      constexpr std::size_t kMostShown = 60;
      const std::string shown = nb::repr(value).c_str();
      throw ModelError(kName, std::string(part.name) + " must be " +
                                  part.expected + "; got " +
                                  shown.substr(0, kMostShown));
    }
  }
}

/// Sets parts, checks the document as a model file, and gives it a self-test.
///
/// \throws ModelError naming the first part that is not valid
ScoredModel finish(ModelDocument document, const nb::kwargs& parts) {
  set_parts(parts, document);
  return ScoredModel(
      assemble_document(std::move(document), kName, scoring_backend()));
}

/// Calls a maker whose errors are those of a model.
template <typename Make>
ScoredModel with_model_errors(const Make& make) {
  try {
    return make();
  } catch (const ParamError& error) {
    throw ModelError(kName, error.what());
  } catch (const ShapeError& error) {
    throw ModelError(kName, error.what());
  }
}

ScoredModel make(std::vector<Index> layers, const Numbers& weights,
                 std::vector<HiddenLayer> hidden_layers, Params params,
                 const std::string& loss, const nb::kwargs& parts) {
  return with_model_errors([&] {
    LossFunction function(parse_loss(loss));
    if (has_classes(function.kind)) {
      function.label_smoothing = params.label_smoothing;
    }
    Model model(Topology(std::move(layers), function, std::move(hidden_layers)),
                to_vector(weights));
    return finish({std::move(model), std::move(params), {}, 0, {}, {}}, parts);
  });
}

ScoredModel replace(const ScoredModel& model, const nb::kwargs& parts) {
  return with_model_errors([&] {
    ModelDocument document = model.document();
    document.identity = {};
    // The instances of the old scaler may be far from the means of a new one.
    if (parts.contains("scaler")) document.self_test.clear();
    return finish(std::move(document), parts);
  });
}

/// Returns the uid of the model file, which its writer computes.
std::string uid(const ScoredModel& model) {
  constexpr std::size_t kUidSize = 17;
  const std::string text = to_json(model.document());
  return text.substr(text.find("mlpc_"), kUidSize);
}

/// Returns why a format cannot express a model, and whether another training of the same
/// data avoids it; an empty reason if it can.
std::pair<std::string, bool> export_problem(const ScoredModel& model,
                                            const std::string& format) {
  const auto known = find_named(kExportFormatNames, format);
  if (!known) {
    throw ParamError("format", "must be spark or onnx; got " + format);
  }
  const auto problem = find_export_problem(*known, export_facts(model.model()));
  if (!problem) return {};
  return {problem->reason, problem->is_avoidable()};
}

HiddenLayer make_hidden(const std::string& name, bool is_residual,
                        bool has_batch_norm, double dropout) {
  const auto activation = Activation::find(name);
  if (activation) return {*activation, is_residual, has_batch_norm, dropout};
  throw ParamError(
      "activation",
      "must be " + join_choices(Activation::names()) + "; got '" + name + "'");
}

void bind_part_types(nb::module_& module) {
  nb::class_<HiddenLayer>(module, "HiddenLayer", "What a hidden layer does.")
      .def(nb::new_(&make_hidden), nb::arg("activation") = "sigmoid",
           nb::arg("is_residual") = false, nb::arg("has_batch_norm") = false,
           nb::arg("dropout") = 0.0)
      .def_prop_ro("activation",
                   [](const HiddenLayer& layer) {
                     return std::string(layer.activation.name());
                   })
      .def_ro("is_residual", &HiddenLayer::is_residual)
      .def_ro("has_batch_norm", &HiddenLayer::has_batch_norm)
      .def_ro("dropout", &HiddenLayer::dropout);
  nb::class_<datasets::InputColumn>(
      module, "InputColumn", "A column of numbers, or of categories if any.")
      .def(
          "__init__",
          [](datasets::InputColumn* self, std::string name, Texts categories,
             std::optional<double> missing, const std::string& extra) {
            using Kind = datasets::ColumnKind;
            const auto known = find_named(datasets::kExtraFeatureNames, extra);
            if (!known && !extra.empty()) {
              throw ParamError(
                  "extra",
                  "must be " +
                      join_choices(kNamesOf<datasets::kExtraFeatureNames>) +
                      ", or empty; got '" + extra + "'");
            }
            const auto feature = known.value_or(datasets::ExtraFeature::kNone);
            const bool has_texts = !categories.empty() ||
                                   feature == datasets::ExtraFeature::kOther;
            new (self) datasets::InputColumn{
                std::move(name), has_texts ? Kind::kCategory : Kind::kNumber,
                std::move(categories), missing, feature};
          },
          nb::arg("name") = "", nb::arg("categories") = Texts(),
          nb::arg("missing").none() = nb::none(), nb::arg("extra") = "");
}

}  // namespace

void bind_parts(nb::module_& module, nb::class_<ScoredModel>& model) {
  bind_part_types(module);
  model.def_static("make", &make, nb::arg("layers"), nb::arg("weights"),
                   nb::arg("hidden_layers") = std::vector<HiddenLayer>(),
                   nb::arg("params") = Params(),
                   nb::arg("loss") = std::string(loss_name(Loss::kSoftmaxNll)),
                   nb::arg("parts"), "Makes a model of its parts.");
  model.def("replace", &replace, "Returns a model with some parts replaced.");
  model.def("export_problem", &export_problem, nb::arg("format"),
            "Returns why a format, spark or onnx, cannot express the model.");
  model.def(
      "spark_weights",
      [](const ScoredModel& m) { return to_array(spark_weights(m.model())); },
      "Returns the weights of Spark's model, with the scaler in them.");
  model.def_prop_ro("uid", &uid);
  model.def_prop_ro("hidden_layers", [](const ScoredModel& m) {
    return m.model().topology().hidden_layers();
  });
}

}  // namespace mlp::python
