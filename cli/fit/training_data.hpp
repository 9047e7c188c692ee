// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../datasets/dataset.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/left_out_columns.hpp"
#include "../../datasets/quantile_encoder.hpp"
#include "../../datasets/reading/known_columns.hpp"
#include "../../datasets/standard_scaler.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../mlp/instances/label_scale.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../../mlp/result/fit_warning.hpp"
#include "../data/class_labels.hpp"
#include "../flags/global_options.hpp"
#include "train_options.hpp"

namespace mlp::cli {

/// The data of a training and of its test.
struct TrainingData {
  datasets::Dataset train;  ///< scaled; its labels are classes

  /// What was train, once a fit has begun; then train is empty.
  std::unique_ptr<TrainingInstances> instances;

  std::optional<datasets::Dataset> test;  ///< scaled as train is

  /// Not trained on, scaled as train is; with --validation.
  std::optional<datasets::Dataset> validation;

  datasets::KnownLabel label;  ///< the column of the labels

  std::vector<datasets::LeftOutColumn> left_out;

  /// If the features are in a file.
  std::optional<datasets::StoreNote> stored;

  Classes classes;
  Index num_instances = 0;  ///< of train, over all ranks

  /// The columns of the features, if some are categories or may be missing.
  std::vector<datasets::InputColumn> input_columns;

  /// Returns the number of features of train, after the encoding of its columns and
  /// before the encoding of its numbers.
  [[nodiscard]] Index num_features() const {
    if (encoder) return encoder->num_features();
    return train.columns.empty() ? train.num_features()
                                 : datasets::count_features(input_columns);
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

  /// With --write-split, the lines of the data file: first the rows of training and
  /// validation, then the rows of the test.
  std::array<std::vector<Index>, 2> split_lines;

  bool has_header = false;  ///< of the data file

  /// Of train, over all ranks; num_instances if there are no weights.
  double weight_sum = 0.0;

  /// The encoding of the numbers, which the model repeats. Those of train, test and
  /// validation are encoded.
  std::optional<datasets::QuantileEncoder> encoder;

  /// Of the features, before they were encoded.
  std::optional<FitWarning> scale_warning;

  /// The scaling of the features, which the model repeats.
  std::optional<datasets::StandardScaler> scaler;

  /// The scale in which the labels of a regression are trained.
  std::optional<LabelScale> label_scale;

  /// The first instances of train, over all ranks, before they were scaled. They
  /// have no labels.
  datasets::Dataset first_instances;
};

/// The number of instances that a model file stores for its self-test.
inline constexpr Index kNumFirstInstances = 3;

/// Reads the rows of a training. Labels become class indices.
///
/// \throws DataError for data that cannot be read or have no labels; ParamError
///         naming a flag that does not match the data
[[nodiscard]] TrainingData read_training_data(const TrainOptions& options,
                                              const GlobalOptions& global);

/// Splits off the test and validation rows, encodes columns with the means of the
/// rows that are left to train on, and scales unless --effort may select a model: its
/// trainings scale their rows themselves.
///
/// \param[in,out] data   of read_training_data()
/// \throws DataError if a part of the split is empty, or the file of the
///         validation cannot be read
void prepare_training_data(TrainingData& data, const TrainOptions& options,
                           const GlobalOptions& global);

// The steps of these functions, between which ranks compare what they have.

/// Reads the rows; labels stay as they are in the file.
[[nodiscard]] TrainingData read_instances(const TrainOptions& options,
                                          const GlobalOptions& global);

/// Indexes labels, and makes partitions.
///
/// \param totals  of all ranks
void index_and_partition(TrainingData& data, const DataTotals& totals,
                         const TrainOptions& options, const Console& console);

/// Chooses the features of the columns by the rows of train, unless they are chosen:
/// folds have the columns of all rows.
void choose_columns(TrainingData& data, const TrainOptions& options,
                    const Console& console);

/// Splits off the test and validation rows, and makes features of the columns.
void split_and_encode(TrainingData& data, const TrainOptions& options,
                      const GlobalOptions& global);

/// Scales all features and encodes their numbers, by the flags or else as the model of
/// --warm-start does.
///
/// \param group  of ranks that each have a part of the instances; otherwise null
void scale(TrainingData& data, const TrainOptions& options,
           const Console& console, distributed::Allreduce* group = nullptr);

}  // namespace mlp::cli
