// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/memory/available_memory.hpp"
#include "../../../datasets/stored/store_rule.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/training_memory.hpp"
#include "../bindings.hpp"
#include "settings.hpp"

namespace mlp::python {

namespace {

/// Returns the memory that is left to one of several processes, what limits it, and
/// whether the limit is that of this process alone.
std::tuple<double, std::string, bool> share_memory(int num_processes) {
  if (num_processes < 1) {
    throw ParamError("num_processes",
                     "must be >= 1; got " + std::to_string(num_processes));
  }
  AvailableMemory share = available_memory({}, num_processes);
  return {share.bytes, std::move(share.limit), share.is_of_process};
}

/// Returns true if a sparse matrix, which takes no file, stays as it is.
///
/// \param memory_bytes  that data may take; 0 for most of what is left
bool stays_sparse(double num_instances, double num_features, double num_values,
                  double memory_bytes) {
  const datasets::SparseBytes bytes{
      sizeof(double) * num_instances * num_features, 0.0,
      datasets::bytes_without_zeros(num_instances, num_values)};
  return datasets::choose_sparse_place(bytes, {"", memory_bytes}) !=
         datasets::SparsePlace::kWithZeros;
}

/// Returns the bytes that a training takes beside its features, and a description.
std::pair<double, std::string> measure_training(const Settings& settings,
                                                Index num_instances) {
  const FitOptions options = options_of(settings);
  const TrainingMemory memory =
      training_memory(topology_of(settings.params), settings.params, options,
                      {num_instances, true});
  return {memory.total(),
          detail::describe_memory(memory, 1.0, settings.params.solver)};
}

}  // namespace

void bind_memory(nb::module_& module) {
  module.attr("least_checked_bytes") = kLeastCheckedBytes;
  module.def(
      "share_memory", &share_memory, nb::arg("num_processes"),
      "Returns (bytes, limit, whether it is of this process): the memory "
      "that is left to one of several processes.");
  module.def("memory_for_data", &datasets::memory_for_data,
             nb::arg("bytes_left"),
             "Returns how much of the memory that is left data may take.");
  module.def("stays_sparse", &stays_sparse, nb::arg("num_instances"),
             nb::arg("num_features"), nb::arg("num_values"),
             nb::arg("memory_bytes") = 0.0,
             "Returns true if a sparse matrix does not get its zeros.");
  module.def("memory_beside_file", &datasets::memory_beside_file,
             nb::arg("num_instances"),
             "Returns the memory of instances whose features are in a file.");
  module.def("training_memory", &measure_training, nb::arg("settings"),
             nb::arg("num_instances"),
             "Returns (bytes, sentence): the memory of a training beside its "
             "features.");
  module.def("format_bytes", &format_bytes, nb::arg("bytes"));
}

}  // namespace mlp::python
