// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_FACTORIES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_FACTORIES_INL_HPP
#undef MLP_CPU_FACTORIES_INL_HPP
#else
#define MLP_CPU_FACTORIES_INL_HPP
#endif

#include <hwy/highway.h>

#include <memory>

#include "../mlp/backend/backend.hpp"
#include "../mlp/backend/scoring_plan.hpp"
#include "../mlp/network/topology.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

// What network_kernels_*.cpp and batch_kernels_*.cpp make of each instruction
// set: sources of their own, so that compilers can work at once.

/// Makes the evaluator of a network without training mode, by its size
/// (kSharedWeights).
///
/// \tparam T  double or float
template <typename T>
GradientEvaluator make_network_evaluator(const Topology& topology);

/// Makes the plan that scores with a network.
///
/// \tparam T        double or float
/// \param  weights  [num_weights]
template <typename T>
std::unique_ptr<ScoringPlan> make_network_plan(const Topology& topology,
                                               const double* weights);

/// Makes the arithmetic of mini-batches.
///
/// \tparam T  double or float
template <typename T>
std::unique_ptr<BatchEvaluator<T>> make_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen);

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
