// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../../optim/summary.hpp"
#include "../model/model.hpp"
#include "fit_warning.hpp"
#include "selection_report.hpp"

namespace mlp {

/// The result of a fit: the model, the optimiser's summary and the warnings.
struct FitResult {
  Model model;
  optim::Summary summary;
  std::vector<FitWarning> warnings = {};  ///< none if all is well

  /// How folds chose the model, if select_model() trained it. The summary is then that
  /// of the first of its networks.
  std::optional<SelectionReport> selection = std::nullopt;
};

}  // namespace mlp
