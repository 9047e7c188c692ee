// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "../cpu/cpu_backend.hpp"
#include "../mlp/model/scorer.hpp"
#include "../mlp/model_file/model_document.hpp"
#include "../mlp/params/params.hpp"
#include "../mlp/result/fit_warning.hpp"
#include "mlp/c_api.h"

/// What the objects of the C interface are.

/// A model file in memory, prepared for scoring.
struct mlp_model {
  explicit mlp_model(mlp::ModelDocument content,
                     std::vector<mlp::FitWarning> warnings_of_fit = {})
      : document(std::move(content)),
        warnings(std::move(warnings_of_fit)),
        scorer(document.model, mlp::cpu::backend()) {}

  mlp::ModelDocument document;
  std::vector<mlp::FitWarning> warnings;  ///< none of a file
  mlp::Scorer scorer;
};

struct mlp_params {
  mlp::Params params;
};
