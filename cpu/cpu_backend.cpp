// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Which instruction sets the kernels are compiled for: AVX-512, AVX2, SSE4 and
// what every x86-64 has. Those between bring nothing for double precision.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/cpu_backend.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "evaluator-inl.hpp"
#include "scoring_plan-inl.hpp"

#if HWY_ONCE
#include "cpu_backend.hpp"

namespace mlp::cpu {
namespace {

/// The kernels of one instruction set.
class CpuBackend final : public Backend {
 public:
  using MakeEvaluator = std::unique_ptr<Evaluator> (*)(const Topology&,
                                                       Precision);
  using MakePlan = std::unique_ptr<ScoringPlan> (*)(const Topology&,
                                                    const double*, Precision);

  CpuBackend(const char* name, MakeEvaluator evaluator_factory,
             MakePlan plan_factory)
      : name_(name),
        evaluator_factory_(evaluator_factory),
        plan_factory_(plan_factory) {}

  [[nodiscard]] const char* name() const override { return name_; }

  using Backend::make_evaluator;

  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology, Precision precision) const override {
    return evaluator_factory_(topology, precision);
  }

  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return plan_factory_(topology, weights, precision);
  }

 private:
  const char* name_;
  MakeEvaluator evaluator_factory_;
  MakePlan plan_factory_;
};

/// Asks the processor which instruction sets it has: the only place that does.
std::vector<CpuBackend> find_instruction_sets() {
  std::vector<CpuBackend> found;
#if HWY_TARGETS & HWY_AVX3
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2")) {
    found.emplace_back("AVX-512", N_AVX3::make_evaluator, N_AVX3::make_plan);
  }
#endif
#if HWY_TARGETS & HWY_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    found.emplace_back("AVX2", N_AVX2::make_evaluator, N_AVX2::make_plan);
  }
#endif
#if HWY_TARGETS & HWY_SSE4
  if (__builtin_cpu_supports("sse4.2")) {
    found.emplace_back("SSE4", N_SSE4::make_evaluator, N_SSE4::make_plan);
  }
#endif
  found.emplace_back("baseline", HWY_STATIC_DISPATCH(make_evaluator),
                     HWY_STATIC_DISPATCH(make_plan));
  return found;
}

}  // namespace

const std::vector<const Backend*>& usable_backends() {
  static const std::vector<CpuBackend> sets = find_instruction_sets();
  static const std::vector<const Backend*> backends = [] {
    std::vector<const Backend*> pointers;
    for (const CpuBackend& set : sets) pointers.push_back(&set);
    return pointers;
  }();
  return backends;
}

const Backend& backend() { return *usable_backends().front(); }

}  // namespace mlp::cpu
#endif
