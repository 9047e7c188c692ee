// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "model.hpp"

namespace mlp::python {

/// Binds the functions of the class Model that predict instances.
void bind_scoring(nanobind::class_<ScoredModel>& model);

}  // namespace mlp::python
