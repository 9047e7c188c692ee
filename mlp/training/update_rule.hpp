// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "../../core/types.hpp"
#include "../../optim/adam.hpp"
#include "../../optim/sgd.hpp"
#include "../params/params.hpp"

namespace mlp {

/// What a mini-batch solver does with a gradient.
template <typename Number>
using UpdateRule = std::variant<optim::Sgd<Number>, optim::Adam<Number>>;

/// Makes the rule of a solver, with its state at the start.
///
/// \pre has_mini_batches(params.solver)
template <typename Number>
[[nodiscard]] UpdateRule<Number> make_update_rule(const Params& params,
                                                  Index num_weights) {
  if (params.solver == Solver::kSgd) {
    optim::SgdOptions options;
    options.momentum = params.momentum;
    options.is_nesterov = params.nesterov;
    return optim::Sgd<Number>(num_weights, options);
  }
  // Adam decays through the gradient; adamw apart from it.
  optim::AdamOptions options;
  if (params.solver == Solver::kAdamW) options.weight_decay = params.reg_param;
  return optim::Adam<Number>(num_weights, options);
}

}  // namespace mlp
