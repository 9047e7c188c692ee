// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../mlp/backend/precision.hpp"
#include "../kernels/number_types.hpp"

namespace mlp::cuda {

/// The types of numbers in a precision.
///
/// \tparam NumberType  of products and element-wise work
/// \tparam InputType   of factors of products
template <typename NumberType, typename InputType>
struct PrecisionTypes {
  using Number = NumberType;
  using Input = InputType;
};

/// Calls a function with the PrecisionTypes of a precision.
template <typename Visit>
auto visit_precision(Precision precision, Visit&& visit) {
  switch (precision) {
    case Precision::kFloat64:
      return visit(PrecisionTypes<double, double>{});
    case Precision::kBfloat16:
      return visit(PrecisionTypes<float, BFloat16>{});
    case Precision::kFloat32:
    case Precision::kTensorFloat32:
      break;
  }
  return visit(PrecisionTypes<float, float>{});
}

}  // namespace mlp::cuda
