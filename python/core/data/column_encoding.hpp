// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/input_column.hpp"
#include "arrays.hpp"

/// Columns of a table with texts or missing values, and the features that they become.
namespace mlp::python {

/// Features, and sentences about values that they do not show.
using EncodedColumns = std::pair<nb::object, std::vector<std::string>>;

/// The columns of a model, and how their values are read.
struct ColumnEncoding {
  std::vector<datasets::InputColumn> columns;
  datasets::InputRules rules;

  /// Encodes the columns of a table as features   [instances x features]
  ///
  /// \param values  of each column: float64, NaN where missing, or for categories
  ///                (texts, codes): the different texts, None for missing ones, and of
  ///                each row the place of its text, int64
  /// \return the sentences are about unknown categories, and about missing values in
  ///         columns in which the training has not learned them
  /// \throws ShapeError if columns have different lengths; as
  ///         datasets::category_codes() and datasets::encode()
  [[nodiscard]] EncodedColumns encode(const nb::list& values) const;
};

/// What a fit makes of the columns of a table.
struct FittedEncoding {
  ColumnEncoding encoding;  ///< without columns if all are plain numbers
  nb::object features;      ///< [instances x features]
  std::vector<std::string> feature_names;
  std::vector<Index> taken;           ///< the columns that are features
  std::vector<std::string> left_out;  ///< says why others are not
  std::vector<std::string> warnings;  ///< as datasets::warn_of_missing()
};

/// Chooses the features of the columns of a table, as the program does without flags.
/// Labels have no influence.
///
/// \param names       of the columns; empty without names
/// \param values      as in ColumnEncoding::encode(); texts that are all numbers are
///                    numbers, as in a data file
/// \param are_chosen  true for columns whose texts are categories, whatever they are
/// \param weights     of the instances; none if all are 1
/// \throws DataError naming a column of texts that hardly repeat and that is not left
///         out, one of numbers and texts, or an infinite number; as
///         ColumnEncoding::encode()
[[nodiscard]] FittedEncoding fit_encoding(
    const std::vector<std::string>& names, const nb::list& values,
    std::vector<bool> are_chosen, const std::optional<Numbers>& weights);

}  // namespace mlp::python
