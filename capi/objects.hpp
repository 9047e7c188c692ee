// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "../cpu/cpu_backend.hpp"
#include "../mlp/model/scorer.hpp"
#include "../mlp/model_file/model_document.hpp"
#include "../mlp/params/params.hpp"
#include "mlp/c_api.h"

/// What the objects of the C interface are.

/// A model file in memory, prepared for scoring.
struct mlp_model {
  explicit mlp_model(mlp::ModelDocument content)
      : document(std::move(content)),
        scorer(document.model, mlp::cpu::backend()) {}

  mlp::ModelDocument document;
  mlp::Scorer scorer;
};

struct mlp_params {
  mlp::Params params;
};
