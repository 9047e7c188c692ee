// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../console/console.hpp"
#include "../fit/ranks/data_exchange.hpp"
#include "../fit/train_options.hpp"
#include "../fit/training_data.hpp"

/// The classes that the labels of a training stand for.
namespace mlp::cli {

/// Turns the labels of data.train into class indices, and sets the names and the
/// number of the classes.
///
/// The rules are those of datasets/label_kind.hpp. Labels of a regression stay as
/// they are.
///
/// \param totals  of all ranks
/// \throws DataError for labels that are not classes, naming the first one and
///         the flag that helps
void index_labels(TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options, const Console& console);

/// Refuses labels that are not numbers, which a regression needs.
///
/// \throws DataError naming a text
void refuse_texts(const datasets::Dataset& data);

}  // namespace mlp::cli
