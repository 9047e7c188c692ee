// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../activations/activation.hpp"

namespace mlp {

/// What a hidden layer does with its input x. Spark's is the default.
///
///     y = skip(x) + dropout(f(batch_norm(W x + b)))
///
/// The parts that are off are not there: without a residual connection nothing is
/// added, else x itself, or P x where the sizes differ.
///
/// \source He et al. 2016, Deep Residual Learning, 3.2 (the connection and its
///         projection); batch_norm.hpp; dropout.hpp
struct HiddenLayer {
  Activation activation;  ///< f
  bool is_residual = false;
  bool has_batch_norm = false;
  double dropout = 0.0;  ///< share of the units left out in training, in [0, 1)

  friend bool operator==(const HiddenLayer&, const HiddenLayer&) = default;
};

}  // namespace mlp
