// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../datasets/csv/csv_options.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

/// Reads a list of columns, one record of CSV: names with commas are in quotes.
///
/// \returns nothing if a name is empty
[[nodiscard]] std::optional<std::vector<std::string>> parse_columns(
    std::string_view text);

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

/// Reads --scale; returns 1 if it is not given.
///
/// \throws ParamError unless it is a positive number
[[nodiscard]] double read_scale(const FlagReader& flags);

}  // namespace mlp::cli
