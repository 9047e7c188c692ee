// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../mlp/backend/backend.hpp"

namespace mlp::bench {

/// The CPU kernels that the tasks measure: those that mlp chooses, or those of
/// choose_kernels().
[[nodiscard]] const Backend& kernels();

/// Measures the kernels of an older instruction set than the newest one of the
/// processor.
///
/// \param name  of the instruction set, as `mlp doctor` prints it
/// \throws ParamError naming those that the processor has
void choose_kernels(const std::string& name);

}  // namespace mlp::bench
