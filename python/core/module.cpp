// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "../../core/version.hpp"
#include "bindings.hpp"

/// The extension mlp._core: the library for the Python code beside it.
NB_MODULE(_core, module) {
  module.doc() = "The C++ library of mlp. Use the classes of mlp instead.";
  module.attr("__version__") = mlp::kVersion;
  mlp::python::register_errors();
  mlp::python::bind_params(module);
  mlp::python::bind_column_encoding(module);
  mlp::python::bind_features(module);
  mlp::python::bind_files(module);
  mlp::python::bind_model(module);
  mlp::python::bind_labels(module);
  mlp::python::bind_stored(module);
  mlp::python::bind_tables(module);
  mlp::python::bind_ranks(module);
  mlp::python::bind_settings(module);
  mlp::python::bind_memory(module);
  mlp::python::bind_training(module);
}
