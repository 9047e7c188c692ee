// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"

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

/// Gives a dataset its labels or targets.
///
/// \throws ShapeError unless the array has one or two dimensions
void take_labels(const Labels& labels, datasets::Dataset& data);

/// Copies numbers.
[[nodiscard]] Vector to_vector(const Numbers& numbers);

/// Makes an array that owns a vector   [size]
[[nodiscard]] nb::object to_array(Vector vector);

/// Makes an array that owns a matrix whose columns are instances
/// [instances x outputs]
[[nodiscard]] nb::object to_array(Matrix matrix);

}  // namespace mlp::python
