// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../datasets/dataset.hpp"
#include "../../datasets/load.hpp"
#include "../../datasets/standard_scaler.hpp"
#include "../../distributed/allreduce.hpp"
#include "../flags/global_options.hpp"
#include "train_options.hpp"

namespace mlp::cli {

/// The data of a training and of its test.
struct TrainingData {
  datasets::Dataset train;                ///< scaled; its labels are classes
  std::optional<datasets::Dataset> test;  ///< scaled as train is

  /// Not trained on, scaled as train is; with --validation.
  std::optional<datasets::Dataset> validation;

  std::vector<std::string> label_names;  ///< if the labels were texts
  Index num_classes = 0;
  Index num_instances = 0;  ///< of train, over all ranks

  /// The scaling of the features, which the model repeats.
  std::optional<datasets::StandardScaler> scaler;

  /// The first instances of train, over all ranks, before they were scaled. They
  /// have no labels.
  datasets::Dataset first_instances;
};

/// Reads the data file of a training, and notes what was assumed about it. Labels
/// stay as they are in the file; there may be none.
///
/// \throws DataError for a file that cannot be read
[[nodiscard]] datasets::LoadedData read_data_file(const TrainOptions& options,
                                                  const GlobalOptions& global);

/// Reads the data of a training: indexes labels that are texts, makes
/// partitions, splits off the test and validation rows, and scales.
///
/// The ranks of a group compare what they read. If each has a file of its own,
/// they number the classes of all files together.
///
/// \param group  of this process; null if it has none
/// \throws DataError for data that cannot be read, have no labels, or leave a
///         part of the split empty; ParamError naming a flag that does not
///         match the data; CommunicationError if the ranks read data that do
///         not belong together
[[nodiscard]] TrainingData load_training_data(
    const TrainOptions& options, const GlobalOptions& global,
    distributed::Allreduce* group = nullptr);

}  // namespace mlp::cli
