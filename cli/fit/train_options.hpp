// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/label_kind.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/params/class_values.hpp"
#include "../../mlp/params/params.hpp"
#include "../../mlp/params/preset.hpp"
#include "../data/encoding_flags.hpp"
#include "../flags/command_line.hpp"
#include "../flags/flag_reader.hpp"
#include "../flags/flag_values.hpp"
#include "rank_options.hpp"

namespace mlp::cli {

/// The values of the flags about checkpoints.
struct CheckpointFlags {
  std::string file;             ///< empty: none
  double every_seconds = 30.0;  ///< if every_iterations is 0
  Index every_iterations = 0;   ///< 0: by time
  bool is_resuming = false;
  bool is_forced = false;  ///< an existing checkpoint is replaced
};

/// Numbers of classes that a flag does not give as a list.
struct ClassNumbers {
  NamedNumbers named;
  bool is_balanced = false;

  [[nodiscard]] bool is_given() const { return is_balanced || !named.empty(); }
};

/// The values of the flags of train.
struct TrainOptions {
  /// layers is empty if no flag gives it. The values that no flag gives are Spark's
  /// defaults until choose_params().
  Params params;

  ClassNumbers class_weights;
  ClassNumbers thresholds;

  Preset preset = Preset::kSpark;
  bool is_spark_by_layers = false;  ///< only --layers chooses the preset

  /// The format that the model must be convertible to.
  std::optional<ExportFormat> export_format;

  /// Spark's names of the hyper-parameters that the preset must not set.
  std::vector<std::string_view> params_given;

  /// The files, folders and patterns of this rank.
  std::vector<std::string> data;

  /// They have {rank} in their names if each rank has files of its own.
  std::vector<std::string> given_data;

  /// Returns true if each rank has files of its own.
  [[nodiscard]] bool has_own_data() const {
    return !given_data.empty() && has_rank(given_data.front());
  }

  std::string label;  ///< empty: the default column

  /// The label columns of a regression of several numbers; label is then empty.
  std::vector<std::string> targets;
  [[nodiscard]] Index num_targets() const {
    return static_cast<Index>(targets.size());
  }

  datasets::LabelKind label_kind = datasets::LabelKind::kAuto;
  bool has_task = false;     ///< a flag says whether to predict classes
  std::string labels_file;   ///< empty: the data file has them
  datasets::CsvOptions csv;  ///< the flags about columns, but for the label
  Index num_partitions = 1;  ///< if partition_sizes is empty
  std::vector<Index> partition_sizes;  ///< [num_partitions], or empty
  std::vector<double> split;           ///< 2 weights, or empty
  bool is_stratified = false;          ///< the split and the validation share
  std::string split_prefix;            ///< of the files of the split, or empty
  Index num_folds = 0;                 ///< 0: no cross-validation
  Precision precision = Precision::kFloat64;
  std::string weight;                ///< column; empty: every row has weight 1
  double validation_share = 0;       ///< of the training rows, or 0
  std::string validation_file;       ///< empty: none
  std::string warm_start_file;       ///< empty: none
  std::string initial_weights_file;  ///< empty: none
  std::optional<Model> warm_start;
  CheckpointFlags checkpoint;
  RankOptions ranks;
  bool is_standardizing = false;         ///< the features
  bool is_standardizing_labels = false;  ///< of a regression, while it trains
  double scale = 1.0;
  bool has_scale = false;  ///< a flag says how to scale, or not to
  EncodingFlags encoding;
  bool is_strict = false;    ///< warnings end the program with an error
  std::string model_file;    ///< empty: nothing is saved; "-": standard output
  std::string history_file;  ///< the same, for the history

  /// About flags that have no effect.
  std::vector<std::string> notes;
};

/// Reads and checks the flags of train, as far as they can be checked without
/// the data.
///
/// \throws ParamError naming the flag; ModelError for a file of initial weights
///         that cannot be read
[[nodiscard]] TrainOptions read_train_options(const CommandLine& line);

/// Reads and checks only those flags of train that say how the data file is read;
/// inspect has them too.
///
/// \throws ParamError naming the flag
[[nodiscard]] TrainOptions read_data_options(const CommandLine& line);

/// Checks the hyper-parameters.
///
/// \param num_targets  of a regression of several numbers, else 0
/// \throws ParamError naming the flag, what it must be and what it is
void validate_flags(const Params& params, Index num_targets);

/// The files that --write-split makes: of the training, and of the test.
[[nodiscard]] std::array<std::string, 2> split_files(
    const TrainOptions& options);

/// Reads --scale; returns 1 if it is not given.
///
/// \throws ParamError unless it is a positive number
[[nodiscard]] double read_scale(const FlagReader& flags);

}  // namespace mlp::cli
