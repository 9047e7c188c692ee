// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The same targets as in cpu_backend.cpp.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/base/activation_kernels.cpp"
#include "activation_kernels.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "activation-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Returns how many elements of an array fill whole vectors.
template <typename T>
std::size_t in_whole_vectors(Index size) {
  const auto count = static_cast<std::size_t>(size);
  return count - count % kLanes<T>;
}

/// The last elements of an array, filled up with zeros to a vector.
template <typename T>
struct PartialVector {
  PartialVector(const T* from, std::size_t size) {
    std::copy_n(from, size, numbers);
  }
  T numbers[kLanes<T>] = {};
};

/// Implements ActivationFunctions::apply for one function.
template <class F, typename T>
HWY_NOINLINE void apply_to_all(const T* z, Index size, T* a) {
  const std::size_t whole = in_whole_vectors<T>(size);
  const std::size_t rest = static_cast<std::size_t>(size) - whole;
  apply_activation<F>(z, whole, a);
  if (rest == 0) return;
  PartialVector<T> last(z + whole, rest);
  apply_activation<F>(last.numbers, kLanes<T>, last.numbers);
  std::copy_n(last.numbers, rest, a + whole);
}

/// Implements ActivationFunctions::multiply_derivative for one function.
template <class F, typename T>
HWY_NOINLINE void multiply_all(const T* z, const T* a, Index size, T* delta) {
  const std::size_t whole = in_whole_vectors<T>(size);
  const std::size_t rest = static_cast<std::size_t>(size) - whole;
  multiply_derivative<F>(z, a, whole, delta);
  if (rest == 0) return;
  const PartialVector<T> last_z((activations::kNeedsInput<F> ? z : a) + whole,
                                rest);
  const PartialVector<T> last_a(a + whole, rest);
  PartialVector<T> last_delta(delta + whole, rest);
  multiply_derivative<F>(last_z.numbers, last_a.numbers, kLanes<T>,
                         last_delta.numbers);
  std::copy_n(last_delta.numbers, rest, delta + whole);
}

template <typename T>
ActivationFunctions<T> activation_functions() {
  return {
      [](Activation activation, const T* z, Index size, T* a) {
        activation.visit(
            [&](auto f) { apply_to_all<decltype(f)>(z, size, a); });
      },
      [](Activation activation, const T* z, const T* a, Index size, T* delta) {
        activation.visit(
            [&](auto f) { multiply_all<decltype(f)>(z, a, size, delta); });
      }};
}

ActivationKernels make_activation_kernels(const char* name) {
  return {name, activation_functions<double>(), activation_functions<float>()};
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "instruction_sets-inl.hpp"

namespace mlp::cpu {

const std::vector<ActivationKernels>& usable_activation_kernels() {
  static const std::vector<ActivationKernels> kernels =
      make_for_usable<ActivationKernels>(
          {MLP_EACH_INSTRUCTION_SET(make_activation_kernels)});
  return kernels;
}

}  // namespace mlp::cpu
#endif
