// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The files that a training reads and writes, and their checks before it starts.

#include <array>
#include <vector>

#include "../../core/files/output_files.hpp"
#include "../../datasets/dataset.hpp"
#include "../../distributed/allreduce.hpp"
#include "train_options.hpp"

namespace mlp::cli {

/// Some ranks of a group. If there is no group, {rank} is a part of a file name
/// like any other.
struct RankRange {
  int first = 0;
  int end = 0;  ///< the rank after the last one
  bool is_group = true;
};

/// Lists the files that a training reads and writes.
///
/// \param given  as the flags are: file names may contain {rank}
/// \param ranks  whose files are listed
[[nodiscard]] OutputFiles list_training_files(const TrainOptions& given,
                                              const RankRange& ranks);

/// Refuses a training that would overwrite one of its files, or that could not
/// write its results. Rank 0 compares the files of all ranks, the other ranks
/// their own.
///
/// \param group  null if there is none
/// \throws as OutputFiles does
void check_training_files(const TrainOptions& given,
                          const distributed::Allreduce* group);

/// Refuses --write-split for rows that are not lines of a file.
///
/// \throws ParamError
void check_split_file(const datasets::Dataset& data,
                      const TrainOptions& options);

/// Writes the rows of --write-split, as they are in the data file.
///
/// \param parts       the lines of the rows of training and test
/// \param has_header  the file has one
/// \throws DataError if the data file changed; ResourceError if a file cannot be
///         written
void write_split(const std::array<std::vector<Index>, 2>& parts,
                 const TrainOptions& options, bool has_header);

}  // namespace mlp::cli
