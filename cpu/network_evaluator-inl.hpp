// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_NETWORK_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_NETWORK_EVALUATOR_INL_HPP
#undef MLP_CPU_NETWORK_EVALUATOR_INL_HPP
#else
#define MLP_CPU_NETWORK_EVALUATOR_INL_HPP
#endif

#include <memory>

#include "../mlp/backend/backend.hpp"
#include "../mlp/network/topology.hpp"
#include "cpu_backend.hpp"
#include "factories-inl.hpp"
#include "lanes/lane_evaluator-inl.hpp"
#include "panels/shared_evaluator-inl.hpp"
#include "panels/tile_evaluator-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Makes the evaluator of a network without training mode.
///
template <typename T>
GradientEvaluator make_network_evaluator(const Topology& topology) {
  if (topology.num_weights() >= kSharedWeights) {
    return std::make_unique<SharedTileEvaluator<T>>(topology);
  }
  if (LaneEvaluator<T>::fits(topology)) {
    return std::make_unique<LaneEvaluator<T>>(topology);
  }
  return std::make_unique<TileEvaluator<T>>(topology);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
