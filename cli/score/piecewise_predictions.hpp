// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Predicts a CSV file while it is read: reading, scoring, formatting and writing
/// overlap, and neither the rows nor the table are in memory as a whole.

#include "../../mlp/model/model.hpp"
#include "../flags/command_line.hpp"
#include "../flags/global_options.hpp"
#include "prediction_table.hpp"
#include "table_output.hpp"

namespace mlp::cli {

/// Predicts a regular CSV file whose lines are rows of numbers, with the CPU kernels,
/// into a regular file. The bytes are the same as with write_predictions().
///
/// \param line   with the arguments MODEL and DATA
/// \param table  without kept columns
/// \return false if nothing was written because this is another case, or a row or a
///         flag is wrong: then the data must be loaded, which reports the error
/// \throws ResourceError if the table cannot be written or memory runs out
[[nodiscard]] bool predict_in_pieces(const Model& model,
                                     const CommandLine& line,
                                     const PredictionTable& table,
                                     const GlobalOptions& options,
                                     const TableOutput& output);

}  // namespace mlp::cli
