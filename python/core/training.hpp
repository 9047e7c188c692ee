// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace mlp::python {

/// Binds fit(), which trains a classifier or a regressor.
void bind_training(nanobind::module_& module);

}  // namespace mlp::python
