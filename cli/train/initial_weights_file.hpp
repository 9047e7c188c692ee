// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../core/types.hpp"

namespace mlp::cli {

/// Weights to start from.
struct InitialWeightsFile {
  Vector weights;             ///< [num_weights], finite
  std::vector<Index> layers;  ///< of the model; empty for a JSON array
};

/// Reads a JSON array of numbers.
///
/// \param file  its name in messages
/// \throws ModelError with line and column for anything else
[[nodiscard]] Vector parse_weight_array(std::string_view text,
                                        const std::string& file);

/// Reads weights from a file: a JSON array of numbers, or a model.
///
/// \throws ModelError for a file that is neither
[[nodiscard]] InitialWeightsFile read_initial_weights_file(
    const std::string& path);

}  // namespace mlp::cli
