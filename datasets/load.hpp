// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "csv/csv_options.hpp"
#include "dataset.hpp"

namespace mlp::datasets {

/// How to read a data file of any format.
struct LoadOptions {
  /// Label, weight and feature columns; only CSV files have them. Its
  /// num_features and num_threads go for every format.
  CsvOptions csv;

  /// A .npy or idx file with the labels; empty: the data file has them. With
  /// it, every column of a CSV file is a feature, or chosen by name.
  std::string labels_file;

  /// Every feature is divided by it: 255 takes pixels to [0, 1].
  double scale = 1.0;
};

/// A data file in memory.
struct LoadedData {
  Dataset dataset;

  /// The label column of a CSV file; empty for other files and without a label.
  std::optional<ChosenLabel> chosen_label;
};

/// Reads labels from a .npy or idx file   [num_instances].
///
/// \throws DataError if the file is missing, of another format or broken
[[nodiscard]] Vector load_labels(const std::string& path);

/// Reads a data file: CSV, TSV, LIBSVM, idx or .npy, each also compressed by
/// gzip.
///
/// The first bytes tell gzip, .npy and idx. Text is LIBSVM if its name ends in
/// .libsvm or .svm, CSV if in .csv or .tsv; other text is LIBSVM if its first
/// line looks so.
/// \param path  a file; "-" is standard input
/// \throws DataError if a file is missing or broken, if the labels file has
///         another number of instances, if the number of features is not the one
///         asked for, or if weights are asked for where the format has none; ParamError if scale is not positive and finite
[[nodiscard]] LoadedData load(const std::string& path,
                              const LoadOptions& options = {});

}  // namespace mlp::datasets

#ifndef MLP_COMPILED  // else mlp::compiled defines them
namespace mlp::datasets {
inline Vector load_labels(const std::string&);
inline LoadedData load(const std::string&, const LoadOptions&);
}  // namespace mlp::datasets
#include "load.ipp"
#endif
