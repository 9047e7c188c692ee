// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Notes and warnings about a data file: assumptions of the reader, and probable
/// mistakes.

#include <string>
#include <vector>

#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/csv/layout/csv_guesses.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/load/load.hpp"
#include "../console/console.hpp"

namespace mlp::cli {

/// Notes everything that was assumed about a CSV file.
void note_guesses(const Console& console, const std::string& source,
                  const datasets::CsvGuesses& guesses);

/// Notes everything that was assumed about a data file.
void note_guesses(const Console& console, const datasets::LoadedData& loaded);

/// Warns of named features that are probably identifiers, such as the number of a row:
/// a model that uses them is wrong on new rows.
void warn_of_identifiers(const Console& console, const datasets::Dataset& data);

/// Notes which columns are left out because they cannot be features.
void note_left_out(const Console& console, const datasets::LoadedData& loaded);

/// Says that features are in a file, and why.
void note_store(const Console& console, const datasets::Dataset& data,
                const datasets::StoreNote& note);

/// Says that features are in a file, and why; or that they are not, although --memory asks
/// for it.
void note_stored(const Console& console, const datasets::LoadedData& loaded,
                 const datasets::StoreRule& rule);

/// Notes how many values of a file are missing or unknown, and how they are handled.
void note_missing(const Console& console, const datasets::LoadedData& loaded,
                  const datasets::CsvOptions& csv);

/// Notes which columns are encoded, and how wide the rows become.
void note_encoding(const Console& console,
                   const std::vector<datasets::InputColumn>& columns,
                   bool is_one_hot);

/// Notes which column became the label if no flag chose one.
///
/// Also notes that the flag has no effect if the format has no columns.
///
/// \param label  the value of --label; empty if not given
void note_label(const Console& console, const datasets::LoadedData& loaded,
                const std::string& label);

}  // namespace mlp::cli
