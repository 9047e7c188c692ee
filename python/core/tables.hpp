// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace mlp::python {

/// Binds the readers of data files.
void bind_tables(nanobind::module_& module);

}  // namespace mlp::python
