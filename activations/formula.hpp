// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

/// Expression types that represent the formula of an activation function.
///
/// If an activation function is called with an Input instead of a number, it
/// returns its formula. One source text thus serves numbers and SIMD vectors.
/// It cannot take SIMD vectors directly: such a function must be compiled for
/// their instruction set, but this header is also included by code compiled for
/// other instruction sets. The kernels evaluate the formula inside functions
/// that are compiled for the right one (cpu/base/formula-inl.hpp).
namespace mlp::activations {

/// The operations in a formula.
namespace operation {
struct Negate {};
struct Add {};
struct Subtract {};
struct Multiply {};
struct Divide {};
struct Abs {};
struct Exp {};
struct Expm1 {};
struct Log1p {};
struct Logistic {};
struct WithSign {};
struct WherePositive {};
}  // namespace operation

/// The base class of all formulas.
struct FormulaBase {};

/// The weighted sum z, the argument of value().
struct Input : FormulaBase {};

/// The value a = f(z), the argument of derivative().
struct Output : FormulaBase {};

/// A constant in a formula.
struct Constant : FormulaBase {
  constexpr explicit Constant(double v) : value(v) {}
  double value;
};

/// An operation on one formula.
template <class Operation, class A>
struct Unary : FormulaBase {
  constexpr explicit Unary(A x) : a(x) {}
  A a;
};

/// An operation on two formulas.
template <class Operation, class A, class B>
struct Binary : FormulaBase {
  constexpr Binary(A x, B y) : a(x), b(y) {}
  A a;
  B b;
};

/// An operation on three formulas.
template <class Operation, class A, class B, class C>
struct Ternary : FormulaBase {
  constexpr Ternary(A x, B y, C z) : a(x), b(y), c(z) {}
  A a;
  B b;
  C c;
};

template <class T>
concept Formula = std::derived_from<T, FormulaBase>;

/// Two operands, at least one a formula; the other may be a number.
template <class A, class B>
concept FormulaOperands = (Formula<A> &&
                           (Formula<B> || std::is_arithmetic_v<B>)) ||
                          (std::is_arithmetic_v<A> && Formula<B>);

/// Returns a formula unchanged and converts a number to a Constant.
template <class T>
[[nodiscard]] constexpr auto as_formula(T x) {
  if constexpr (Formula<T>) {
    return x;
  } else {
    return Constant(static_cast<double>(x));
  }
}

/// The formula type that as_formula() returns for an operand.
template <class T>
using AsFormula = decltype(as_formula(std::declval<T>()));

template <Formula Number>
[[nodiscard]] constexpr Constant constant(double value) {
  return Constant(value);
}

template <Formula A>
[[nodiscard]] constexpr auto operator-(A a) {
  return Unary<operation::Negate, A>(a);
}

template <class A, class B>
requires FormulaOperands<A, B>
[[nodiscard]] constexpr auto operator+(A a, B b) {
  return Binary<operation::Add, AsFormula<A>, AsFormula<B>>(as_formula(a),
                                                            as_formula(b));
}

template <class A, class B>
requires FormulaOperands<A, B>
[[nodiscard]] constexpr auto operator-(A a, B b) {
  return Binary<operation::Subtract, AsFormula<A>, AsFormula<B>>(as_formula(a),
                                                                 as_formula(b));
}

template <class A, class B>
requires FormulaOperands<A, B>
[[nodiscard]] constexpr auto operator*(A a, B b) {
  return Binary<operation::Multiply, AsFormula<A>, AsFormula<B>>(as_formula(a),
                                                                 as_formula(b));
}

template <class A, class B>
requires FormulaOperands<A, B>
[[nodiscard]] constexpr auto operator/(A a, B b) {
  return Binary<operation::Divide, AsFormula<A>, AsFormula<B>>(as_formula(a),
                                                               as_formula(b));
}

template <Formula A>
[[nodiscard]] constexpr auto abs(A a) {
  return Unary<operation::Abs, A>(a);
}

template <Formula A>
[[nodiscard]] constexpr auto exp(A a) {
  return Unary<operation::Exp, A>(a);
}

template <Formula A>
[[nodiscard]] constexpr auto expm1(A a) {
  return Unary<operation::Expm1, A>(a);
}

template <Formula A>
[[nodiscard]] constexpr auto log1p(A a) {
  return Unary<operation::Log1p, A>(a);
}

template <Formula A>
[[nodiscard]] constexpr auto logistic(A a) {
  return Unary<operation::Logistic, A>(a);
}

template <Formula A, Formula B>
[[nodiscard]] constexpr auto with_sign(A magnitude, B sign) {
  return Binary<operation::WithSign, A, B>(magnitude, sign);
}

template <Formula A, class B, class C>
[[nodiscard]] constexpr auto where_positive(A x, B yes, C no) {
  return Ternary<operation::WherePositive, A, AsFormula<B>, AsFormula<C>>(
      x, as_formula(yes), as_formula(no));
}

}  // namespace mlp::activations
