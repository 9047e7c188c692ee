// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace mlp {

// Shapes are written [rows x columns] in every comment of this library.
// Matrices are column-major, and a column is one instance, unless a comment
// says otherwise: the layout on which Eigen, Breeze and cuBLAS agree.

/// A count or a position; signed, so that differences are safe.
using Index = Eigen::Index;

/// A matrix that owns its elements   [rows x columns], column-major.
using Matrix = Eigen::MatrixXd;

/// A column vector that owns its elements   [size].
using Vector = Eigen::VectorXd;

/// A read-only view of a matrix whose columns are contiguous.
using ConstMatrixRef = Eigen::Ref<const Matrix>;

/// A read-only view of a vector.
using ConstVectorRef = Eigen::Ref<const Vector>;

}  // namespace mlp
