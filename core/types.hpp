// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

/// Index, matrix and vector types, and the notation of shapes.
namespace mlp {

// Every comment of this library writes shapes as [rows x columns]. Unless a
// comment says otherwise, matrices are column-major and each column is one
// instance. Eigen, Breeze and cuBLAS use the same layout.

/// A count or a position; signed, so that differences can be negative.
using Index = Eigen::Index;

/// A matrix that owns its elements   [rows x columns], column-major.
using Matrix = Eigen::MatrixXd;

/// A column vector that owns its elements   [size].
using Vector = Eigen::VectorXd;

/// Gives a matrix another size; its elements are lost.
///
/// Eigen's resize() frees the old memory before it asks for more. If there is none, the
/// matrix would free it again, so that a matrix which is used again needs this function.
inline void resize_anew(Matrix& matrix, Index rows, Index columns) {
  if (matrix.size() != rows * columns) matrix.resize(0, 0);
  matrix.resize(rows, columns);
}

/// A read-only view of a matrix whose columns are contiguous.
using ConstMatrixRef = Eigen::Ref<const Matrix>;

/// A read-only view of a vector.
using ConstVectorRef = Eigen::Ref<const Vector>;

}  // namespace mlp
