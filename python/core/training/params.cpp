// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/params.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/params/param_table.hpp"
#include "../../../mlp/params/preset.hpp"
#include "../../../mlp/params/weight_scale.hpp"
#include "../bindings.hpp"
#include "../data/arrays.hpp"

namespace mlp::python {

namespace {

/// \throws ParamError for a name that is not in the table
const ParamInfo& info_of(std::string_view name) {
  const ParamInfo* const info = find_param(name);
  if (info != nullptr) return *info;
  throw ParamError(std::string(name), "is no hyper-parameter");
}

void set(Params& params, std::string_view name, std::string_view text) {
  set_param(params, info_of(name), text);
}

std::string get(const Params& params, std::string_view name) {
  return info_of(name).format(params);
}

void set_initial_weights(Params& params, const Numbers& weights) {
  params.initial_weights = to_vector(weights);
}

std::string apply_preset(Params& params, Index num_features, Index num_outputs,
                         double weight_sum, Index num_instances,
                         const std::vector<std::string>& given) {
  const std::vector<std::string_view> names(given.begin(), given.end());
  const TableFacts facts{num_features, num_outputs, weight_sum, std::nullopt,
                         num_instances};
  apply_modern(params, facts, names);
  return describe_weight_scale(facts, names);
}

}  // namespace

void bind_params(nb::module_& module) {
  nb::class_<Params>(module, "Params",
                     "The hyper-parameters of a training, by Spark's names.")
      .def(nb::init<>())
      .def("set", &set, nb::arg("name"), nb::arg("text"),
           "Sets a hyper-parameter from text.")
      .def("get", &get, nb::arg("name"),
           "Returns a hyper-parameter as JSON; empty if it is not set.")
      .def("set_initial_weights", &set_initial_weights,
           nb::arg("weights").noconvert())
      .def("apply_modern", &apply_preset, nb::arg("num_features"),
           nb::arg("num_outputs"), nb::arg("weight_sum"),
           nb::arg("num_instances"), nb::arg("given"),
           "Applies the preset modern, except to the names given. Returns a "
           "sentence about weights of rows whose scale is probably a mistake.")
      .def("validate", [](const Params& params) { validate(params); })
      .def_ro("layers", &Params::layers);
}

}  // namespace mlp::python
