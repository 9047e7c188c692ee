// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// What the extension has: each function binds the classes and functions of the source
/// of the same name.
namespace mlp::python {

void bind_params(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_column_encoding(nanobind::module_& module);
void bind_features(nanobind::module_& module);
void bind_labels(nanobind::module_& module);
void bind_stored(nanobind::module_& module);
void bind_tables(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_ranks(nanobind::module_& module);
void bind_settings(nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_training(nanobind::module_& module);

/// Makes each error type of the library the Python exception of the same name,
/// which mlp/errors.py defines.
void register_errors();

}  // namespace mlp::python
