// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"

/// NumPy arrays as the library reads and returns numbers. A row of an array is an
/// instance: a row-major [instances x features] array has the memory of a
/// column-major [features x instances] matrix.
namespace mlp::python {

namespace nb = nanobind;

/// Rows of float64 or float32 in any layout   [instances x features]
using Rows = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

/// Numbers of float64   [size]
using Numbers =
    nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Labels of float64: one for each instance   [instances], or several
/// [instances x targets]
using Labels = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Returns true if the rows can be read in place: float64, row after row.
[[nodiscard]] bool is_in_place(const Rows& rows);

/// Copies rows, from float64 or float32 in any layout.
///
/// \param      begin     first row
/// \param[out] features  [num_features x number of rows]
/// \throws nb::type_error for another type of numbers
void copy_rows(const Rows& rows, Index begin, Eigen::Ref<Matrix> features);

/// Gives a dataset its features: in place if the layout allows it, else a copy.
///
/// \param rows  must outlive data
/// \return the number of bytes copied
std::size_t take_features(const Rows& rows, datasets::Dataset& data);

/// Gives a dataset its labels or targets.
///
/// \throws ShapeError unless the array has one or two dimensions
void take_labels(const Labels& labels, datasets::Dataset& data);

/// Returns true if all features are finite.
///
/// \param features  contiguous   [num_features x number of rows]
[[nodiscard]] bool are_all_finite(const Eigen::Ref<const Matrix>& features);

/// Refuses features that are not finite.
///
/// \param features  [num_features x number of rows]
/// \param begin     the row of the first instance, for the sentence
/// \throws DataError naming the first row and feature
void check_finite(const Eigen::Ref<const Matrix>& features, Index begin);

/// Copies numbers.
[[nodiscard]] Vector to_vector(const Numbers& numbers);

/// Makes an array that owns a vector   [size]
[[nodiscard]] nb::object to_array(Vector vector);

/// Makes an array that owns a matrix whose columns are instances
/// [instances x outputs]
[[nodiscard]] nb::object to_array(Matrix matrix);

}  // namespace mlp::python
