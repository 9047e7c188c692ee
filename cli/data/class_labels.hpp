// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The classes that the labels of a training stand for.

#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/label_numbers.hpp"
#include "../../mlp/params/params.hpp"
#include "../console/console.hpp"
#include "data_options.hpp"

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

/// The classes of a training.
struct Classes {
  std::vector<std::string> names;  ///< empty if the labels are class indices
  Index count = 0;  ///< of a regression, the number of label columns
};

/// Turns labels into class indices.
///
/// datasets/label_kind.hpp has the rules. Labels of a regression stay as they are.
///
/// \param totals  of all ranks
/// \throws DataError for labels that are not classes, naming the first one and
///         the flag that helps
[[nodiscard]] Classes index_labels(datasets::Dataset& data,
                                   const DataTotals& totals,
                                   const DataOptions& options,
                                   const Console& console);

/// Refuses labels that are not numbers, which a regression needs.
///
/// \throws DataError naming a text
void refuse_texts(const datasets::Dataset& data);

}  // namespace mlp::cli
