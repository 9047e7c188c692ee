// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../arrow/arrow_opener.hpp"
#include "../csv/csv_options.hpp"
#include "../csv/csv_table.hpp"
#include "../reading/quoted.hpp"
#include "../stored/store_rule.hpp"

/// Reader for data files of any supported format.
namespace mlp::datasets {

/// Options for reading a data file of any format.
struct LoadOptions {
  /// Label, weight and feature columns, which only CSV files have. Its
  /// num_features and num_threads apply to every format.
  CsvOptions csv;

  /// A .npy or idx file with the labels. If empty, the data file has them. If
  /// set, a CSV file has no label column: its features are all columns or those
  /// chosen by name.
  std::string labels_file;

  /// Divisor of every feature; 255 maps pixels to [0, 1].
  double scale = 1.0;

  /// Where features are kept that do not fit into memory. By default they must fit.
  StoreRule store;

  /// Opens Parquet and Arrow files. By default the plugin does it.
  ArrowOpener open_arrow = {};
};

/// The contents of a data file of any format, or of several that are read as one.
struct LoadedData : CsvTable {
  /// The label columns of a regression of several numbers, as texts.
  std::vector<KeptColumn> targets;

  /// If the features are in a file.
  std::optional<StoreNote> stored;

  /// The names of folders name=value that give no columns, DataFiles::left_out_columns.
  std::vector<std::string> left_out_folders;
};

/// Says which columns of folders are left out, for a note.
///
/// \pre some are
[[nodiscard]] inline std::string describe_left_out_folders(
    const LoadedData& loaded) {
  const auto& names = loaded.left_out_folders;
  return loaded.dataset.source + ": the folders in the given paths name " +
         (names.size() == 1 ? "the column " : "the columns ") +
         quoted_list(names) +
         ", which the rows do not get; give the folder above them alone to "
         "read " +
         (names.size() == 1 ? "it" : "them");
}

/// Reads labels from a .npy or idx file   [num_instances].
///
/// \throws DataError if the file is missing, broken or of another format
[[nodiscard]] Vector load_labels(const std::string& path);

/// Reads the text of a data file, decompressed and as UTF-8.
///
/// \param path  a file; "-" is standard input
/// \throws DataError if the file is missing or broken
[[nodiscard]] std::string read_data_bytes(const std::string& path);

/// Reads a CSV, TSV, LIBSVM, idx or .npy file, optionally compressed by gzip.
///
/// gzip, .npy and idx are detected by the first bytes. Text is LIBSVM if the
/// file name ends in .libsvm or .svm, and CSV if it ends in .csv or .tsv. With
/// other names, the text is LIBSVM if its first line looks like LIBSVM.
/// If the options have the columns of a model, the features are encoded: missing
/// values are replaced, and categories become features.
/// \param path  a file, or a folder or a pattern as in find_data_files(); "-" is
///              standard input
/// \throws DataError if a file is missing or broken, if the labels file has
///         another number of instances, if the number of features is not the
///         expected one, or if the options name columns or their delimiter, or
///         allow categories or missing values, and the file is not CSV;
///         ParamError if scale is not positive and finite
[[nodiscard]] LoadedData load(const std::string& path,
                              const LoadOptions& options = {});

/// Reads several files as one, in the order of their names.
///
/// All files have one format. What is decided about columns, labels and categories
/// is decided for the rows of all files together. Files of CSV have the same header,
/// or the same number of columns and no header; LIBSVM files have as many features
/// as the largest index of all; .npy and idx files have equally many features. Empty
/// files have no rows. Folders such as day=1 give tables a column, find_data_files().
/// \param paths  files, folders and patterns as in find_data_files()   [at least 1]
/// \throws the errors of load() for one path and of find_data_files(); DataError
///         naming a file that differs from the first one
[[nodiscard]] LoadedData load(const std::vector<std::string>& paths,
                              const LoadOptions& options = {});

}  // namespace mlp::datasets

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines these functions
namespace mlp::datasets {
inline Vector load_labels(const std::string&);
inline std::string read_data_bytes(const std::string&);
inline LoadedData load(const std::string&, const LoadOptions&);
inline LoadedData load(const std::vector<std::string>&, const LoadOptions&);
}  // namespace mlp::datasets
#include "load.ipp"
#endif
