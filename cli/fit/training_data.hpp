// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "../../datasets/dataset.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/load.hpp"
#include "../../datasets/reading/known_columns.hpp"
#include "../../datasets/standard_scaler.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../mlp/instances/label_scale.hpp"
#include "../flags/global_options.hpp"
#include "train_options.hpp"

namespace mlp::cli {

/// The data of a training and of its test.
struct TrainingData {
  datasets::Dataset train;                ///< scaled; its labels are classes
  std::optional<datasets::Dataset> test;  ///< scaled as train is

  /// Not trained on, scaled as train is; with --validation.
  std::optional<datasets::Dataset> validation;

  datasets::KnownLabel label;            ///< the column of the labels
  std::vector<std::string> label_names;  ///< if the labels were texts
  Index num_classes = 0;
  Index num_instances = 0;  ///< of train, over all ranks

  /// The columns of the features, if some are categories or may be missing.
  std::vector<datasets::InputColumn> input_columns;

  /// Returns the number of features of train, after the encoding of its columns.
  [[nodiscard]] Index num_features() const {
    return train.columns.empty() ? train.num_features()
                                 : datasets::count_features(train.columns);
  }

  /// Says how columns become more features, as a part of a sentence.
  [[nodiscard]] std::string describe_encoding() const {
    const auto num_columns = static_cast<Index>(
        (train.columns.empty() ? input_columns : train.columns).size());
    if (num_columns == 0 || num_columns == num_features()) return "";
    return " after the one-hot encoding of " + std::to_string(num_columns) +
           " columns";
  }

  /// The number of instances in the file of each rank; empty unless each has a
  /// file of its own.
  std::vector<Index> rank_sizes;

  /// The lines of the rows in the data file, with --write-split: those of training
  /// and validation, and those of the test.
  std::array<std::vector<Index>, 2> split_lines;

  /// Of train, over all ranks; num_instances if there are no weights.
  double weight_sum = 0.0;

  /// The scaling of the features, which the model repeats.
  std::optional<datasets::StandardScaler> scaler;

  /// The scale in which the labels of a regression are trained.
  std::optional<LabelScale> label_scale;

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

/// Reads the rows of a training: indexes labels, and makes partitions.
///
/// The ranks of a group compare what they read. If each has a file of its own,
/// they number the classes of all files together.
///
/// \param group  of this process; null if it has none
/// \throws DataError for data that cannot be read or have no labels; ParamError
///         naming a flag that does not match the data; CommunicationError if the
///         ranks read data that do not belong together
[[nodiscard]] TrainingData read_training_data(
    const TrainOptions& options, const GlobalOptions& global,
    distributed::Allreduce* group = nullptr);

/// Splits off the test and validation rows, encodes columns with the means of the
/// rows that are left to train on, and scales.
///
/// \param[in,out] data   of read_training_data()
/// \param         group  of this process; null if it has none
/// \throws DataError if a part of the split is empty, or the file of the
///         validation cannot be read
void prepare_training_data(TrainingData& data, const TrainOptions& options,
                           const GlobalOptions& global,
                           distributed::Allreduce* group = nullptr);

/// Reads the rows of a training and prepares them.
[[nodiscard]] TrainingData load_training_data(
    const TrainOptions& options, const GlobalOptions& global,
    distributed::Allreduce* group = nullptr);

}  // namespace mlp::cli
