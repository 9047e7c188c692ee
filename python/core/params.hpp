// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace mlp::python {

/// Binds Params, whose members are set by Spark's names and texts.
void bind_params(nanobind::module_& module);

}  // namespace mlp::python
