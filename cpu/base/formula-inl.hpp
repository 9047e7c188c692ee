// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_FORMULA_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_FORMULA_INL_HPP
#undef MLP_CPU_BASE_FORMULA_INL_HPP
#else
#define MLP_CPU_BASE_FORMULA_INL_HPP
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "../../activations/formula.hpp"
#include "exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes an activation formula on vectors.
///
/// The formulas are written with the operations of activations/number_math.hpp.
/// Every operation here is rounded equally by each instruction set, so that
/// AVX2 and AVX-512 give the same bits. No operation has a branch, so that the
/// compiler computes a repeated subexpression once.
///
/// \pre Input is replaced by input, Output by output
template <class D>
struct FormulaValue {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;

  D d;
  V input;
  V output;

  HWY_INLINE V operator()(activations::Input) const { return input; }
  HWY_INLINE V operator()(activations::Output) const { return output; }
  HWY_INLINE V operator()(activations::Constant constant) const {
    return hn::Set(d, static_cast<T>(constant.value));
  }

  template <class Operation, class A>
  HWY_INLINE V operator()(activations::Unary<Operation, A> f) const {
    return compute(Operation{}, (*this)(f.a));
  }
  template <class Operation, class A, class B>
  HWY_INLINE V operator()(activations::Binary<Operation, A, B> f) const {
    return compute(Operation{}, (*this)(f.a), (*this)(f.b));
  }
  template <class Operation, class A, class B, class C>
  HWY_INLINE V operator()(activations::Ternary<Operation, A, B, C> f) const {
    return compute(Operation{}, (*this)(f.a), (*this)(f.b), (*this)(f.c));
  }

 private:
  HWY_INLINE V compute(activations::operation::Negate, V a) const {
    return hn::Neg(a);
  }
  HWY_INLINE V compute(activations::operation::Add, V a, V b) const {
    return hn::Add(a, b);
  }
  HWY_INLINE V compute(activations::operation::Subtract, V a, V b) const {
    return hn::Sub(a, b);
  }
  HWY_INLINE V compute(activations::operation::Multiply, V a, V b) const {
    return hn::Mul(a, b);
  }
  HWY_INLINE V compute(activations::operation::Divide, V a, V b) const {
    return hn::Div(a, b);
  }
  HWY_INLINE V compute(activations::operation::Abs, V a) const {
    return hn::Abs(a);
  }
  HWY_INLINE V compute(activations::operation::Exp, V a) const {
    return exponential_anywhere(d, a);
  }
  HWY_INLINE V compute(activations::operation::Expm1, V a) const {
    return exponential_minus_1(d, a);
  }
  HWY_INLINE V compute(activations::operation::Log1p, V a) const {
    return hn::Log1p(d, a);
  }
  HWY_INLINE V compute(activations::operation::Logistic, V a) const {
    return sigmoid(d, a);
  }
  HWY_INLINE V compute(activations::operation::WithSign, V a, V b) const {
    return hn::CopySign(a, b);
  }
  HWY_INLINE V compute(activations::operation::WherePositive, V x, V yes,
                       V no) const {
    const V zero = hn::Zero(d);
    return hn::IfThenElse(hn::Gt(x, zero), yes,
                          hn::IfThenElse(hn::Le(x, zero), no, x));
  }
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
