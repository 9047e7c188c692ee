// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/load.hpp"
#include "../console/console.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

/// The flags about values that are not numbers.
struct EncodingFlags {
  datasets::MissingRule missing = datasets::MissingRule::kRefuse;
  datasets::OneHotRule one_hot;
  datasets::UnknownRule unknown = datasets::UnknownRule::kRefuse;

  /// Returns true if the columns are not simply numbers that all are there.
  [[nodiscard]] bool is_set() const {
    return one_hot.is_on() || missing != datasets::MissingRule::kRefuse;
  }

  /// Sets the options of a reader.
  void apply(datasets::CsvOptions& csv) const;
};

/// Reads --missing, --one-hot and --unknown.
///
/// \throws ParamError naming the flag and what it must be
[[nodiscard]] EncodingFlags read_encoding_flags(const FlagReader& flags);

/// Reads --unknown.
///
/// \param preset  the rule if the flag is not given, such as that of a model
[[nodiscard]] datasets::UnknownRule read_unknown_rule(
    const FlagReader& flags,
    datasets::UnknownRule preset = datasets::UnknownRule::kRefuse);

/// Reads a list of columns as parse_columns() does; auto stands for all columns
/// of texts.
///
/// \returns nothing if a name is empty
[[nodiscard]] std::optional<datasets::OneHotRule> parse_one_hot(
    std::string_view text);

/// Who reads the data, for the advice at the end of an error.
enum class ReadFor { kTraining, kScoring };

/// Returns the error of a reader with the flags that would help, if there are any.
///
/// \param column  the value of the flags that need a column
[[nodiscard]] std::string with_encoding_advice(
    const std::string& sentence, ReadFor use,
    const std::string& column = "COL");

/// Loads data files, and notes what becomes of missing values.
///
/// \throws the errors of datasets::load(), with the flags that would help
[[nodiscard]] datasets::LoadedData load_table(
    const std::vector<std::string>& paths, const datasets::LoadOptions& options,
    ReadFor use, const Console& console);

}  // namespace mlp::cli
