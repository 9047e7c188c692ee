// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Describes a training whose objective or weights are not finite.

#include <string>

#include "../../mlp/classifier.hpp"
#include "../../mlp/params/params.hpp"

namespace mlp::cli {

/// Returns true if the last objective or a weight is not finite.
[[nodiscard]] bool has_diverged(const FitResult& fit);

/// Describes what of a training is not finite, and what helps.
///
/// \param is_scaled  whether the training standardised the features
/// \pre   has_diverged(fit)
[[nodiscard]] std::string describe_divergence(const FitResult& fit,
                                              const Params& params,
                                              bool is_scaled);

}  // namespace mlp::cli
