// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../distributed/allreduce.hpp"
#include "../training_data.hpp"
#include "../training_job.hpp"

/// The data of ranks, and the numbers about them that ranks send each other.
namespace mlp::cli {

/// Compares the data and the options that prepare them over all ranks.
///
/// If all ranks read one file, the data must be equal. If each rank has a file of
/// its own, the columns must be equal.
/// \param data  as read; labels that are texts are not indexed yet
/// \throws CommunicationError on all ranks, naming the first difference
void require_matching_data(const TrainOptions& options,
                           const datasets::Dataset& data,
                           distributed::Allreduce& group);

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

/// Reads the rows of a training as read_training_data() does. The ranks compare what
/// they read. If each has a file of its own, they number the classes of all files
/// together.
///
/// \throws as read_training_data(); CommunicationError if the ranks read data that
///         do not belong together
[[nodiscard]] TrainingData read_rank_data(const TrainingJob& job);

/// Prepares the rows as prepare_training_data() does, with the scaling of the rows
/// of all ranks.
void prepare_rank_data(TrainingData& data, const TrainingJob& job);

}  // namespace mlp::cli
