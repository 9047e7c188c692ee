// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/label_numbers.hpp"
#include "../../mlp/params/params.hpp"

namespace mlp::cli {

/// Counts of the data, over all ranks if each has a file of its own.
struct DataTotals {
  Index num_features = 0;
  Index num_classes =
      0;  ///< the largest label plus one; of labels that are numbers
  std::vector<datasets::LabelCount> labels;  ///< of labels that are texts
  datasets::LabelNumbers numbers;  ///< of labels that are numbers and classes

  /// Of the instances; their number if they have no weights.
  double weight_sum = 0.0;

  /// Instances of each rank   [world_size]; one entry if all ranks read one file.
  std::vector<Index> sizes;
};

/// Returns the sum of the weights of instances; their number if they have none.
[[nodiscard]] double sum_weights(const datasets::Dataset& data);

/// Counts the data of this process.
///
/// \param data  as read; labels that are texts are not indexed yet
[[nodiscard]] DataTotals totals_of(const datasets::Dataset& data, Task task);

}  // namespace mlp::cli
