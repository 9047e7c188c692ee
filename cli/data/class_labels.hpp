// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The classes that the labels of a training stand for.

#include <string>
#include <vector>

#include "../../datasets/dataset.hpp"
#include "../console/console.hpp"
#include "data_options.hpp"
#include "data_totals.hpp"

namespace mlp::cli {

/// The classes of a training.
struct Classes {
  std::vector<std::string> names;  ///< empty if the labels are class indices
  Index count = 0;  ///< of a regression, the number of label columns
};

/// Turns labels into class indices.
///
/// The rules are those of datasets/label_kind.hpp. Labels of a regression stay as
/// they are.
///
/// \param totals  of all ranks
/// \throws DataError for labels that are not classes, naming the first one and
///         the flag that helps
[[nodiscard]] Classes index_labels(datasets::Dataset& data,
                                   const DataTotals& totals,
                                   const DataOptions& options,
                                   const Console& console);

/// Refuses labels that are not numbers, which a regression needs.
///
/// \throws DataError naming a text
void refuse_texts(const datasets::Dataset& data);

}  // namespace mlp::cli
