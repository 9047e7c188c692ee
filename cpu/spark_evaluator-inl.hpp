// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_SPARK_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_SPARK_EVALUATOR_INL_HPP
#undef MLP_CPU_SPARK_EVALUATOR_INL_HPP
#else
#define MLP_CPU_SPARK_EVALUATOR_INL_HPP
#endif

#include <memory>

#include "../mlp/backend/backend.hpp"
#include "../mlp/network/topology.hpp"
#include "lanes/lane_evaluator-inl.hpp"
#include "spark_factories-inl.hpp"
#include "tiles/tile_evaluator-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Makes the evaluator for a network that Spark supports.
///
/// It is a LaneEvaluator for a small network, else a TileEvaluator.
template <typename T>
std::unique_ptr<Evaluator> make_spark_evaluator(const Topology& topology) {
  if (LaneEvaluator<T>::fits(topology)) {
    return std::make_unique<LaneEvaluator<T>>(topology);
  }
  return std::make_unique<TileEvaluator<T>>(topology);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
