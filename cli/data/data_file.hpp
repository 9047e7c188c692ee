// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Reads data files, and says which flags help against an error.

#include <string>
#include <vector>

#include "../../core/files/output_files.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/load/load.hpp"
#include "../console/console.hpp"
#include "../flags/global_options.hpp"
#include "data_options.hpp"

namespace mlp::cli {

/// Who reads the data, for the advice at the end of an error.
enum class ReadFor { kTraining, kScoring };

/// Returns the error of a reader with the flags that would help, if there are any.
///
/// \param column  the value of the flags that need a column
[[nodiscard]] std::string with_encoding_advice(
    const std::string& sentence, ReadFor use,
    const std::string& column = "COL");

/// Loads data files, and notes how missing values are handled.
///
/// \throws the errors of datasets::load(), with the flags that would help
[[nodiscard]] datasets::LoadedData load_table(
    const std::vector<std::string>& paths, const datasets::LoadOptions& options,
    ReadFor use, const Console& console);

/// Returns how the flags of a training read its data.
[[nodiscard]] datasets::LoadOptions load_options(const DataOptions& options,
                                                 int num_threads);

/// Loads files of a training, and makes targets of the label columns of --label.
[[nodiscard]] datasets::LoadedData load_with_targets(
    const std::vector<std::string>& paths, const DataOptions& options,
    const datasets::LoadOptions& load, const Console& console);

/// Reads the data of a training, and notes what was assumed about them. Labels
/// stay as they are in the file; there may be none.
///
/// \throws DataError for a file that cannot be read
[[nodiscard]] datasets::LoadedData read_data_file(const DataOptions& options,
                                                  const GlobalOptions& global);

/// Returns the columns of the model of --warm-start, if no flag describes others.
[[nodiscard]] std::vector<datasets::InputColumn> columns_of_warm_start(
    const DataOptions& options);

/// Refuses categories that the model of --warm-start does not have: its weights would
/// belong to other features.
///
/// \throws DataError naming the source
void check_warm_columns(const std::string& source,
                        const std::vector<datasets::InputColumn>& read,
                        const DataOptions& options);

/// Adds the files that a path stands for to those that no output may replace. A folder or a pattern that cannot be read
/// has none: reading it reports the error.
///
/// \param name  of the argument or flag
/// \param path  a file, a folder or a pattern; "" adds nothing
void add_data_inputs(OutputFiles& files, const std::string& name,
                     const std::string& path);

}  // namespace mlp::cli
