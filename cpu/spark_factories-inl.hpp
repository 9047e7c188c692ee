// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_SPARK_FACTORIES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_SPARK_FACTORIES_INL_HPP
#undef MLP_CPU_SPARK_FACTORIES_INL_HPP
#else
#define MLP_CPU_SPARK_FACTORIES_INL_HPP
#endif

#include <hwy/highway.h>

#include <memory>

#include "../mlp/backend/backend.hpp"
#include "../mlp/backend/scoring_plan.hpp"
#include "../mlp/network/topology.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

// What spark_kernels_double.cpp and spark_kernels_float.cpp make of each
// instruction set: sources of their own, so that compilers can work at once.

/// Makes the evaluator of one of Spark's networks.
///
/// \tparam T  double or float
template <typename T>
std::unique_ptr<Evaluator> make_spark_evaluator(const Topology& topology);

/// Makes the plan that scores with one of Spark's networks.
///
/// \tparam T        double or float
/// \param  weights  [num_weights]
template <typename T>
std::unique_ptr<ScoringPlan> make_spark_plan(const Topology& topology,
                                             const double* weights);

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
