// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

/// The library's rules of labels and classes, for arrays.
namespace mlp::python {

/// Binds the rules of labels.
void bind_labels(nanobind::module_& module);

}  // namespace mlp::python
