// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../datasets/csv/csv_options.hpp"
#include "flag_reader.hpp"

namespace mlp::cli {

/// Reads the flags about the columns of CSV files: --header, --delimiter,
/// --features, --ignore and --keep.
///
/// \throws ParamError naming the flag
[[nodiscard]] datasets::CsvOptions read_csv_flags(const FlagReader& flags);

}  // namespace mlp::cli
