// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "../../core/types.hpp"
#include "../../optim/gradient_clipping.hpp"
#include "../../optim/objective.hpp"
#include "../../optim/update_range.hpp"
#include "../backend/penalty.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "weight_ranges.hpp"

namespace mlp {

/// Makes the penalty of hyper-parameters.
[[nodiscard]] inline Penalty make_penalty(const Topology& topology,
                                          const Params& params) {
  Penalty penalty;
  penalty.ranges = weight_ranges(topology, frozen_layers(topology, params),
                                 params.one_output);
  // The decay of adamw is not in the objective.
  if (params.solver != Solver::kAdamW) penalty.reg_param = params.reg_param;
  penalty.clip_value = params.clip_value;
  penalty.clip_norm = params.clip_norm;
  return penalty;
}

/// Computes only the penalty on the weights.
///
/// \param weights  [num_weights]
/// \return reg_param / 2 times the sum of the squared weights
template <typename VectorLike>
[[nodiscard]] double penalty_value(const Penalty& penalty,
                                   const VectorLike& weights) {
  if (penalty.reg_param == 0.0) return 0.0;
  double squares = 0.0;
  for (const optim::UpdateRange& range : penalty.ranges) {
    if (!range.decays) continue;
    squares += weights.segment(range.first, range.size)
                   .template cast<double>()
                   .squaredNorm();
  }
  return penalty.reg_param / 2.0 * squares;
}

/// Adds the penalty on the weights to a gradient, then clips it.
///
/// \param         weights   [num_weights]
/// \param[in,out] gradient  [num_weights]; 0 outside of the ranges
/// \return penalty_value()
template <typename VectorLike>
double apply_penalty(const Penalty& penalty, const VectorLike& weights,
                     VectorLike& gradient) {
  using Number = typename VectorLike::Scalar;
  if (penalty.reg_param != 0.0) {
    const auto factor = static_cast<Number>(penalty.reg_param);
    for (const optim::UpdateRange& range : penalty.ranges) {
      if (!range.decays) continue;
      gradient.segment(range.first, range.size) +=
          factor * weights.segment(range.first, range.size);
    }
  }
  if (penalty.clip_value > 0.0) {
    for (const optim::UpdateRange& range : penalty.ranges) {
      optim::clip_by_value<Number>(range, penalty.clip_value, gradient);
    }
  }
  if (penalty.clip_norm > 0.0) {
    optim::clip_by_norm<Number>(penalty.ranges, penalty.clip_norm, gradient);
  }
  return penalty_value(penalty, weights);
}

/// An objective of all instances with a penalty, and with frozen layers.
template <optim::Objective F>
class PenalizedObjective {
 public:
  /// \param objective  must outlive this object
  PenalizedObjective(F& objective, Penalty penalty)
      : objective_(objective), penalty_(std::move(penalty)) {}

  /// \param      weights   [num_weights]
  /// \param[out] gradient  [num_weights]
  double value_and_gradient(const Vector& weights, Vector& gradient) {
    const double value = objective_.value_and_gradient(weights, gradient);
    clear_frozen(gradient);
    return value + apply_penalty(penalty_, weights, gradient);
  }

 private:
  /// Sets the elements between the ranges to zero. The ranges are in order.
  void clear_frozen(Vector& gradient) const {
    Index at = 0;
    for (const optim::UpdateRange& range : penalty_.ranges) {
      gradient.segment(at, range.first - at).setZero();
      at = range.first + range.size;
    }
    gradient.tail(gradient.size() - at).setZero();
  }

  F& objective_;
  Penalty penalty_;
};

}  // namespace mlp
