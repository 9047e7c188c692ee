// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The flags that say how the data of a training are read, which inspect has too.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/label_kind.hpp"
#include "../../datasets/stored/store_rule.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/params/params.hpp"
#include "../flags/command_line.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

/// Reads a list of columns, one record of CSV: names with commas are in quotes.
///
/// \returns nothing if a name is empty
[[nodiscard]] std::optional<std::vector<std::string>> parse_columns(
    std::string_view text);

/// Returns columns, or texts, as the value of a flag, which parse_columns() reads.
[[nodiscard]] std::string join_columns(const std::vector<std::string>& names);

/// Reads the flags about the columns of CSV files: --header, --delimiter,
/// --features, --ignore and --keep.
///
/// \throws ParamError naming the flag
[[nodiscard]] datasets::CsvOptions read_csv_flags(const FlagReader& flags);

/// Reads a list of columns as parse_columns() does; auto stands for all columns
/// of texts.
///
/// \returns nothing if a name is empty
[[nodiscard]] std::optional<datasets::OneHotRule> parse_one_hot(
    std::string_view text);

/// Reads the flags about values that are not numbers: --missing, --one-hot and
/// --unknown.
///
/// \throws ParamError naming the flag and what it must be
void read_encoding_flags(const FlagReader& flags, datasets::CsvOptions& csv);

/// Replaces what these flags do not give by the values of the preset modern.
void use_preset_encoding(const FlagReader& flags, datasets::CsvOptions& csv);

/// Reads --scale; returns 1 if it is not given.
///
/// \throws ParamError unless it is a positive number
[[nodiscard]] double read_scale(const FlagReader& flags);

/// The values of the flags that say how the data of a training are read.
struct DataOptions {
  /// The task and the layers decide what labels can be. layers is empty if no flag
  /// gives it; other values that no flag gives are Spark's defaults.
  Params params;

  /// The files, folders and patterns that this process reads.
  std::vector<std::string> data;

  std::string label;  ///< empty: the default column

  /// The label columns of a regression of several numbers; label is then empty.
  std::vector<std::string> targets;
  [[nodiscard]] Index num_targets() const {
    return static_cast<Index>(targets.size());
  }

  datasets::LabelKind label_kind = datasets::LabelKind::kAuto;
  bool has_task = false;      ///< a flag says whether to predict classes
  std::string labels_file;    ///< empty: the data file has them
  datasets::CsvOptions csv;   ///< the flags about columns, but for the label
  std::string weight;         ///< column; empty: every row has weight 1
  datasets::StoreRule store;  ///< for features that do not fit into memory

  /// The model of --warm-start. Its weights belong to its columns and classes.
  std::optional<Model> warm_start;
};

/// A label kind has no effect on a regression; follows the name of the flag.
inline constexpr std::string_view kLabelKindNeed =
    "needs classes, which --task regression does not have; use only one of "
    "them";

/// Reads --memory and --cache-dir: what happens to features that do not fit into memory.
///
/// \param output  a file whose folder is the default of --cache-dir; may be empty
/// \throws ParamError naming the flag
[[nodiscard]] datasets::StoreRule read_store(const FlagReader& flags,
                                             const std::string& output);

/// Reads all these flags except the hyper-parameters and the model.
///
/// \throws ParamError naming the flag
void read_data_flags(DataOptions& options, const CommandLine& line);

/// Divides --label into the columns of a regression of several numbers.
void read_targets(DataOptions& options);

/// Reads and checks the flags of inspect.
///
/// \throws ParamError naming the flag
[[nodiscard]] DataOptions read_data_options(const CommandLine& line);

}  // namespace mlp::cli
