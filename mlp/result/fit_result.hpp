// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../optim/summary.hpp"
#include "../model/model.hpp"
#include "fit_warning.hpp"

namespace mlp {

/// The result of a fit: the model, the optimiser's summary and the warnings.
struct FitResult {
  Model model;
  optim::Summary summary;
  std::vector<FitWarning> warnings = {};  ///< none if all is well
};

}  // namespace mlp
