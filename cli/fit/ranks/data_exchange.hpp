// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/label_index.hpp"
#include "../../../datasets/label_numbers.hpp"
#include "../../../distributed/allreduce.hpp"
#include "../train_options.hpp"

/// What ranks tell each other about the data that they read.
namespace mlp::cli {

/// What the preparation of the data must know of all ranks together.
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

/// Compares the data and the options that prepare them over all ranks.
///
/// If all ranks read one file, the data must be equal. If each rank has a file of
/// its own, the columns must be equal.
/// \param data  as read; labels that are texts are not indexed yet
/// \throws CommunicationError on all ranks, naming the first difference
void require_matching_data(const TrainOptions& options,
                           const datasets::Dataset& data,
                           distributed::Allreduce& group);

/// Returns the sum of the weights of instances; their number if they have none.
[[nodiscard]] double sum_weights(const datasets::Dataset& data);

/// Returns what this rank's data are if they are those of all ranks.
[[nodiscard]] DataTotals totals_of(const datasets::Dataset& data, Task task);

/// Unites what each rank has in a file of its own.
[[nodiscard]] DataTotals unite_totals(const datasets::Dataset& data, Task task,
                                      distributed::Allreduce& group);

/// Returns the sum of the vectors of all ranks, which have the same size.
[[nodiscard]] Vector sum_over_ranks(const Vector& own,
                                    distributed::Allreduce& group);

/// Returns the features of the first instances of all ranks.
///
/// \param own    of this rank
/// \param sizes  instances of each rank   [world_size]
/// \param count  at most this many
/// \return [num_features x count or fewer]
[[nodiscard]] Matrix gather_first_features(const Matrix& own,
                                           const std::vector<Index>& sizes,
                                           Index count,
                                           distributed::Allreduce& group);

}  // namespace mlp::cli
