// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_EVALUATOR_CHOICE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_EVALUATOR_CHOICE_INL_HPP
#undef MLP_CPU_EVALUATOR_CHOICE_INL_HPP
#else
#define MLP_CPU_EVALUATOR_CHOICE_INL_HPP
#endif

#include <memory>

#include "../mlp/backend/backend.hpp"
#include "../mlp/network/topology.hpp"
#include "general/general_factories-inl.hpp"
#include "lanes/lane_evaluator-inl.hpp"
#include "tiles/tile_evaluator-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Makes the evaluator for a network that Spark supports.
///
/// It is a LaneEvaluator for a small network, else a TileEvaluator.
template <typename T>
std::unique_ptr<Evaluator> make_evaluator_of(const Topology& topology) {
  if (LaneEvaluator<T>::fits(topology)) {
    return std::make_unique<LaneEvaluator<T>>(topology);
  }
  return std::make_unique<TileEvaluator<T>>(topology);
}

/// Makes the evaluator for a network.
std::unique_ptr<Evaluator> make_evaluator(const Topology& topology,
                                          Precision precision) {
  if (!topology.is_spark()) return make_general_evaluator(topology, precision);
  if (precision == Precision::kFloat32) {
    return make_evaluator_of<float>(topology);
  }
  return make_evaluator_of<double>(topology);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
