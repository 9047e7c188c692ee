// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of mini-batches in double, for the instruction sets of cpu_backend.cpp.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/batch_kernels_double.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "factories-inl.hpp"
#include "panels/batch_evaluator-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

template std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator<double>(
    const Topology&, const FrozenLayers&);

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
