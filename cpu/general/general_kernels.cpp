// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// General networks, for the instruction sets of cpu_backend.cpp, which chooses.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/general/general_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "batch_evaluator-inl.hpp"
#include "general_evaluator-inl.hpp"
#include "general_factories-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

std::unique_ptr<Evaluator> make_general_evaluator(const Topology& topology,
                                                  Precision precision) {
  if (precision == Precision::kFloat32) {
    return std::make_unique<GeneralEvaluator<float>>(topology);
  }
  return std::make_unique<GeneralEvaluator<double>>(topology);
}

template <typename T>
std::unique_ptr<BatchEvaluator<T>> make_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen) {
  return std::make_unique<CpuBatchEvaluator<T>>(topology, frozen);
}

template std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator<double>(
    const Topology&, const FrozenLayers&);
template std::unique_ptr<BatchEvaluator<float>> make_batch_evaluator<float>(
    const Topology&, const FrozenLayers&);

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
