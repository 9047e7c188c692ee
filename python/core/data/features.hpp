// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "arrays.hpp"

/// Features that are scored where they lie, or gathered in small parts.
namespace mlp::python {

/// Gives a dataset its features: in place if the layout allows it, else a copy.
///
/// \param rows  must outlive data
/// \return the number of bytes copied
/// \throws nb::type_error unless they are float64 or float32
std::size_t take_features(const Rows& rows, datasets::Dataset& data);

/// Refuses features that are not finite.
///
/// \param features  contiguous   [num_features x number of rows]
/// \param begin     the row of the first instance, for the sentence
/// \param names     of the features, for the sentence; empty without names
/// \throws DataError naming the first row and feature
void check_finite(const Eigen::Ref<const Matrix>& features, Index begin,
                  const std::vector<std::string>& names = {});

/// Rows that lie one after another, of one of two types.
struct RowsInPlace {
  const double* doubles = nullptr;  ///< [num_features x size], or null
  const float* floats = nullptr;    ///< the same if doubles is null
  Index size = 0;
};

/// Returns true if all features are finite.
[[nodiscard]] bool are_finite(const RowsInPlace& rows, Index num_features);

/// Refuses rows as the function for a matrix does.
void check_finite(const RowsInPlace& rows, Index num_features, Index begin,
                  const std::vector<std::string>& names);

/// Memory for gathered rows.
struct GatheredRows {
  Matrix doubles;
  Eigen::MatrixXf floats;
};

/// The features of instances. Several threads read parts of them.
class Features {
 public:
  virtual ~Features() = default;

  [[nodiscard]] virtual Index num_features() const = 0;
  [[nodiscard]] virtual Index num_instances() const = 0;

  /// Returns true if rows are read where they lie: at() then gathers nothing.
  [[nodiscard]] virtual bool is_in_place() const = 0;

  /// Returns rows of type float64 or float32, which are not converted.
  ///
  /// \param memory  has the rows if they do not lie one after another
  [[nodiscard]] virtual RowsInPlace at(Index begin, Index size,
                                       GatheredRows& memory) const = 0;
};

/// The rows of an array.
class ArrayFeatures final : public Features {
 public:
  /// \param rows  must outlive this object
  /// \throws nb::type_error unless they are float64 or float32
  explicit ArrayFeatures(const Rows& rows);

  [[nodiscard]] Index num_features() const override;
  [[nodiscard]] Index num_instances() const override;
  [[nodiscard]] bool is_in_place() const override;
  [[nodiscard]] RowsInPlace at(Index begin, Index size,
                               GatheredRows& memory) const override;

 private:
  const Rows& rows_;
  bool is_double_;
  bool is_in_place_;
};

/// A column of numbers   [instances of a batch]
using Column = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

/// The columns of a data frame, or of an Arrow table with its batches of rows. They
/// may be of several types: float32 if all are, else they are read as float64.
class ColumnFeatures final : public Features {
 public:
  /// \param batches  the columns of each batch; all have the same number
  /// \throws nb::type_error for another type than float32, float64 and integers;
  ///         ShapeError if the columns of a batch have different lengths
  explicit ColumnFeatures(std::vector<std::vector<Column>> batches);

  [[nodiscard]] Index num_features() const override { return num_features_; }
  [[nodiscard]] Index num_instances() const override { return ends_.back(); }
  [[nodiscard]] bool is_in_place() const override { return false; }
  [[nodiscard]] RowsInPlace at(Index begin, Index size,
                               GatheredRows& memory) const override;

 private:
  template <typename Number>
  void gather(Index begin, Index size, Number* to) const;

  std::vector<std::vector<Column>> batches_;
  std::vector<Index> ends_;  ///< the first instance after each batch, after a 0
  Index num_features_ = 0;
  bool is_float_ = true;
};

}  // namespace mlp::python
