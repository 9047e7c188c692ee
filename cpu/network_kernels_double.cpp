// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of full batches and of scoring in double, for the instruction sets of
// cpu_backend.cpp.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/network_kernels_double.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "factories-inl.hpp"
#include "network_evaluator-inl.hpp"
#include "scoring_plan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

template GradientEvaluator make_network_evaluator<double>(const Topology&);
template std::unique_ptr<ScoringPlan> make_network_plan<double>(const Topology&,
                                                                const double*);

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
