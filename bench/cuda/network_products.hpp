// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The matrix products of one evaluation.

#include <vector>

#include "../../core/index.hpp"

namespace mlp::bench {

/// A product [rows x inner] [inner x columns] of column-major matrices. A
/// transposed factor is stored with its sizes exchanged.
struct NetworkProduct {
  Index rows = 0;
  Index columns = 0;
  Index inner = 0;
  bool is_left_transposed = false;
  bool is_right_transposed = false;

  /// The rows of the left and of the right factor as they are stored.
  [[nodiscard]] Index left_rows() const {
    return is_left_transposed ? inner : rows;
  }
  [[nodiscard]] Index right_rows() const {
    return is_right_transposed ? columns : inner;
  }
};

/// Returns Z = W X and dW = D X' of each layer, and dX = W' D of all but the first:
/// 2 N (3 S - n0 n1) flops, S = sum of products of adjacent sizes.
[[nodiscard]] inline std::vector<NetworkProduct> network_products(
    const std::vector<Index>& layers, Index num_instances) {
  std::vector<NetworkProduct> products;
  for (std::size_t k = 0; k + 1 < layers.size(); ++k) {
    const Index inputs = layers[k];
    const Index outputs = layers[k + 1];
    products.push_back({outputs, num_instances, inputs, false, false});
    products.push_back({outputs, inputs, num_instances, false, true});
    if (k > 0) {
      products.push_back({inputs, num_instances, outputs, true, false});
    }
  }
  return products;
}

}  // namespace mlp::bench
