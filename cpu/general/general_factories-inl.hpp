// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_GENERAL_GENERAL_FACTORIES_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_GENERAL_FACTORIES_INL_HPP
#undef MLP_CPU_GENERAL_GENERAL_FACTORIES_INL_HPP
#else
#define MLP_CPU_GENERAL_GENERAL_FACTORIES_INL_HPP
#endif

#include <hwy/highway.h>

#include <memory>

#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/topology.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

// What general_kernels.cpp makes of one instruction set: a source of its own, so
// that two compilers can work at once.

/// Makes the evaluator of a network without training mode.
std::unique_ptr<Evaluator> make_general_evaluator(const Topology& topology,
                                                  Precision precision);

/// Makes the arithmetic of mini-batches.
///
/// \tparam T  double or float
template <typename T>
std::unique_ptr<BatchEvaluator<T>> make_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen);

extern template std::unique_ptr<BatchEvaluator<double>>
make_batch_evaluator<double>(const Topology&, const FrozenLayers&);
extern template std::unique_ptr<BatchEvaluator<float>>
make_batch_evaluator<float>(const Topology&, const FrozenLayers&);

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
