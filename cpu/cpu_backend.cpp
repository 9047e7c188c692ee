// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The sets of instruction_set.hpp; those between bring nothing for double
// precision.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/cpu_backend.cpp"
#include "cpu_backend.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "factories-inl.hpp"

#ifndef MLP_CPU_BACKEND_CLASS
#define MLP_CPU_BACKEND_CLASS
namespace mlp::cpu {
namespace {

/// The kernels of one instruction set.
class CpuBackend final : public Backend {
 public:
  using MakeEvaluator = GradientEvaluator (*)(const Topology&, Precision);
  using MakePlan = std::unique_ptr<ScoringPlan> (*)(const Topology&,
                                                    const double*, Precision);

  template <typename T>
  using MakeBatches = std::unique_ptr<BatchEvaluator<T>> (*)(
      const Topology&, const FrozenLayers&);

  CpuBackend(const char* name, MakeEvaluator evaluator_factory,
             MakePlan plan_factory, MakeBatches<double> double_factory,
             MakeBatches<float> float_factory)
      : name_(name),
        evaluator_factory_(evaluator_factory),
        plan_factory_(plan_factory),
        double_factory_(double_factory),
        float_factory_(float_factory) {}

  [[nodiscard]] const char* name() const override { return name_; }

  [[nodiscard]] bool packs() const override { return true; }

  [[nodiscard]] bool shares_gradient(const Topology& topology) const override {
    return topology.num_weights() >= kSharedWeights;
  }

  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override {
    require(precision);
    return evaluator_factory_(topology, precision);
  }

  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    require(precision);
    return plan_factory_(topology, weights, precision);
  }

  [[nodiscard]] std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<double> /*number*/) const override {
    return double_factory_(topology, frozen);
  }

  [[nodiscard]] std::unique_ptr<BatchEvaluator<float>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<float> /*number*/) const override {
    return float_factory_(topology, frozen);
  }

 private:
  const char* name_;
  MakeEvaluator evaluator_factory_;
  MakePlan plan_factory_;
  MakeBatches<double> double_factory_;
  MakeBatches<float> float_factory_;
};

}  // namespace
}  // namespace mlp::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

GradientEvaluator make_evaluator(const Topology& topology,
                                 Precision precision) {
  return precision == Precision::kFloat32
             ? make_network_evaluator<float>(topology)
             : make_network_evaluator<double>(topology);
}

std::unique_ptr<ScoringPlan> make_plan(const Topology& topology,
                                       const double* weights,
                                       Precision precision) {
  return precision == Precision::kFloat32
             ? make_network_plan<float>(topology, weights)
             : make_network_plan<double>(topology, weights);
}

CpuBackend make_backend(const char* name) {
  return {name, make_evaluator, make_plan, make_batch_evaluator<double>,
          make_batch_evaluator<float>};
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/instruction_sets-inl.hpp"

namespace mlp::cpu {

const std::vector<const Backend*>& usable_backends() {
  static const std::vector<CpuBackend> sets =
      make_for_usable<CpuBackend>({MLP_EACH_INSTRUCTION_SET(make_backend)});
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
