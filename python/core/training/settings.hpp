// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/stored/stored_features.hpp"
#include "../../../mlp/classifier.hpp"
#include "../../../mlp/params/params.hpp"
#include "../../../mlp/training/fit_options.hpp"
#include "../data/arrays.hpp"
#include "../data/column_encoding.hpp"
#include "../model/model.hpp"

namespace mlp::python {

/// Where a training saves its state, and where it resumes from.
struct CheckpointSettings {
  std::string file;         ///< that is written; empty: none
  double seconds = 30.0;    ///< between two writes
  std::string resume_file;  ///< a checkpoint of the same training; empty: none

  /// Tells the data of a training from others.
  std::string data;
};

/// What a training reads besides the data.
struct Settings {
  Params params;
  bool is_standardizing = false;
  bool has_final_scale = false;  ///< FitOptions::has_final_scale
  bool keeps_diverged = false;   ///< a diverged training returns a model
  std::string precision = "float64";
  std::string backend = "auto";
  std::string device = "cpu";
  int threads = 1;

  /// "" for standard, or quick if one training is asked for.
  std::string effort = "quick";

  /// Of prediction intervals or sets; none for nothing.
  std::optional<double> coverage;

  /// Spark's names of the hyper-parameters that the caller has set.
  std::vector<std::string> given;
  std::vector<Index> partition_sizes;
  std::vector<std::string> feature_names;

  /// Of the columns that the features are made of, if they are encoded.
  std::optional<ColumnEncoding> column_encoding;
  std::vector<std::string> label_names;
  std::string label_column;

  /// The callback gets the weights as its last argument.
  bool shows_weights = false;
  CheckpointSettings checkpoint;

  /// Python's handlers of signals run while fit() trains. Only in the main thread.
  bool handles_signals = false;
};

/// Instances with arrays that must outlive the training.
struct Instances {
  std::variant<Rows, datasets::StoredFeatures> features;
  Labels labels;
  std::optional<Numbers> weights;
  std::optional<Numbers> groups;  ///< numbers from 0
};

/// Gives a dataset the arrays of instances.
///
/// \return the number of bytes copied
/// \throws DataError for features or weights that are not finite
std::size_t take(const Instances& instances, datasets::Dataset& data);

/// Makes the options that settings name; without a callback, a checkpoint and
/// other ranks.
///
/// \throws as training_backend(); ParamError for an unknown precision
[[nodiscard]] FitOptions options_of(const Settings& settings);

/// Trains a classifier or a regressor.
///
/// \param[out] note  why there was one training where settings ask for several, or ""
[[nodiscard]] FitResult train(const Settings& settings,
                              const datasets::Dataset& data,
                              const FitOptions& options, std::string& note);

/// Makes what a training ends with.
///
/// \param data           of this process
/// \param num_instances  of all ranks
[[nodiscard]] ScoredModel make_model(const Settings& settings,
                                     const datasets::Dataset& data,
                                     FitResult result, Index num_instances);

}  // namespace mlp::python
