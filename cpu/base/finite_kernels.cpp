// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The same targets as in cpu_backend.cpp.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/base/finite_kernels.cpp"
#include "finite_kernels.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Zero times a finite number is zero; times NaN or infinity it is NaN, and so
/// is every sum with it.
template <typename T>
bool are_all_finite_of(const T* numbers, Index size) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto count = static_cast<std::size_t>(size);
  const auto zero = hn::Zero(d);
  auto sum0 = zero;
  auto sum1 = zero;
  auto sum2 = zero;
  auto sum3 = zero;
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const T* const at = numbers + i;
    sum0 = hn::MulAdd(hn::LoadU(d, at), zero, sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, at + lanes), zero, sum1);
    sum2 = hn::MulAdd(hn::LoadU(d, at + 2 * lanes), zero, sum2);
    sum3 = hn::MulAdd(hn::LoadU(d, at + 3 * lanes), zero, sum3);
  }
  T rest = 0;
  for (; i < count; ++i) rest += numbers[i] * T(0);
  const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  return rest == T(0) && hn::AllTrue(d, hn::Eq(sum, zero));
}

FiniteKernels make_finite_kernels(const char* name) {
  return {name, &are_all_finite_of<double>, &are_all_finite_of<float>};
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "instruction_sets-inl.hpp"

namespace mlp::cpu {

const std::vector<FiniteKernels>& usable_finite_kernels() {
  static const std::vector<FiniteKernels> kernels =
      make_for_usable<FiniteKernels>(
          {MLP_EACH_INSTRUCTION_SET(make_finite_kernels)});
  return kernels;
}

}  // namespace mlp::cpu
#endif
