// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace mlp::bench {

/// The interface of a CompileTimeNetwork. Only its source is compiled for the
/// processor that it runs on. No type of another library passes through it:
/// their layout may depend on the processor.
template <typename T>
class FixedNetwork {
 public:
  virtual ~FixedNetwork() = default;

  /// \param row     [num_features]
  /// \param scores  [num_classes], before the softmax
  virtual void predict_raw(const T* row, T* scores) const = 0;
};

/// Makes the network [4, 5, 4, 3].
///
/// \param weights  in Spark's flat order
template <typename T>
std::unique_ptr<FixedNetwork<T>> make_fixed_iris(const double* weights);

/// Makes the network [784, 100, 10].
template <typename T>
std::unique_ptr<FixedNetwork<T>> make_fixed_mnist(const double* weights);

}  // namespace mlp::bench
