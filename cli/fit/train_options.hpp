// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../mlp/backend/precision.hpp"
#include "../../mlp/params/class_values.hpp"
#include "../../mlp/params/export_format.hpp"
#include "../../mlp/params/preset.hpp"
#include "../data/data_options.hpp"
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

/// The values of the flags of train. The hyper-parameters that no flag gives are
/// Spark's defaults until choose_params().
struct TrainOptions : DataOptions {
  ClassNumbers class_weights;
  ClassNumbers thresholds;

  Preset preset = Preset::kSpark;
  Effort effort = Effort::kQuick;
  bool is_spark_by_layers = false;  ///< only --layers chooses the preset

  /// The format that the model must be convertible to.
  std::optional<ExportFormat> export_format;

  /// Spark's names of the hyper-parameters that the preset must not set.
  std::vector<std::string_view> params_given;

  /// \param name  Spark's
  [[nodiscard]] bool is_param_given(std::string_view name) const {
    return is_listed(params_given, name);
  }

  /// The names of the data before {rank} in them is replaced.
  std::vector<std::string> given_data;

  /// Returns true if each rank has files of its own.
  [[nodiscard]] bool has_own_data() const {
    return !given_data.empty() && has_rank(given_data.front());
  }

  Index num_partitions = 1;           ///< if partition_sizes is empty
  bool partitions_are_files = false;  ///< then num_partitions has no effect

  /// Returns true if --partitions asks for more than one.
  [[nodiscard]] bool has_partitions() const {
    return num_partitions > 1 || partitions_are_files;
  }

  std::vector<Index> partition_sizes;  ///< [num_partitions], or empty
  std::vector<double> split;           ///< 2 weights, or empty
  bool is_stratified = false;          ///< the split and the validation share
  std::string split_prefix;            ///< of the files of the split, or empty
  Index num_folds = 0;                 ///< 0: no cross-validation
  std::optional<double> coverage;      ///< of --interval or --coverage
  Precision precision = Precision::kFloat64;
  double validation_share = 0;       ///< of the training rows, or 0
  std::string validation_file;       ///< empty: none
  std::string warm_start_file;       ///< empty: none
  std::string initial_weights_file;  ///< empty: none
  CheckpointFlags checkpoint;
  RankOptions ranks;
  bool is_standardizing = false;         ///< the features
  bool is_unknown_given = false;         ///< --unknown
  bool is_standardizing_labels = false;  ///< of a regression, while it trains
  double scale = 1.0;
  bool has_scale = false;    ///< a flag says how to scale, or not to
  bool is_strict = false;    ///< warnings end the program with an error
  std::string model_file;    ///< empty: nothing is saved; "-": standard output
  std::string history_file;  ///< the same, for the history

  /// About flags that have no effect.
  std::vector<std::string> notes;
};

}  // namespace mlp::cli
