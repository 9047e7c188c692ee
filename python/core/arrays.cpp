// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../cpu/base/finite_kernels.hpp"

namespace mlp::python {

namespace {

/// Instances that are copied at a time: rows and features of these stay in the
/// cache, whichever of both is contiguous in the array.
constexpr Index kRowsAtOnce = 64;

template <typename Number>
void copy_typed(const Rows& rows, Index begin, Eigen::Ref<Matrix> features) {
  const Index of_row = rows.stride(0);
  const Index of_feature = rows.stride(1);
  const auto* const first =
      static_cast<const Number*>(rows.data()) + begin * of_row;
  for (Index part = 0; part < features.cols(); part += kRowsAtOnce) {
    const Index end = std::min(part + kRowsAtOnce, features.cols());
    for (Index f = 0; f < features.rows(); ++f) {
      for (Index i = part; i < end; ++i) {
        features(f, i) =
            static_cast<double>(first[i * of_row + f * of_feature]);
      }
    }
  }
}

}  // namespace

bool is_in_place(const Rows& rows) {
  const auto num_features = static_cast<std::int64_t>(rows.shape(1));
  return rows.dtype() == nb::dtype<double>() &&
         (rows.stride(1) == 1 || num_features == 1) &&
         (rows.stride(0) == num_features || rows.shape(0) <= 1);
}

void copy_rows(const Rows& rows, Index begin, Eigen::Ref<Matrix> features) {
  if (rows.dtype() == nb::dtype<double>()) {
    copy_typed<double>(rows, begin, features);
  } else if (rows.dtype() == nb::dtype<float>()) {
    copy_typed<float>(rows, begin, features);
  } else {
    throw nb::type_error("features must be float64 or float32");
  }
}

std::size_t take_features(const Rows& rows, datasets::Dataset& data) {
  const auto num_features = static_cast<Index>(rows.shape(1));
  const auto num_instances = static_cast<Index>(rows.shape(0));
  if (is_in_place(rows) && rows.size() != 0) {
    data.borrowed = {static_cast<const double*>(rows.data()), num_features,
                     num_instances};
    return 0;
  }
  data.features.resize(num_features, num_instances);
  copy_rows(rows, 0, data.features);
  return rows.size() * sizeof(double);
}

void take_labels(const Labels& labels, datasets::Dataset& data) {
  if (labels.ndim() == 1) {
    data.labels = Eigen::Map<const Vector>(labels.data(),
                                           static_cast<Index>(labels.shape(0)));
    return;
  }
  if (labels.ndim() != 2) {
    throw ShapeError("y must have one or two dimensions; got " +
                     std::to_string(labels.ndim()));
  }
  data.targets = Eigen::Map<const Matrix>(labels.data(),
                                          static_cast<Index>(labels.shape(1)),
                                          static_cast<Index>(labels.shape(0)));
}

bool are_all_finite(const Eigen::Ref<const Matrix>& features) {
  return cpu::are_all_finite(features.data(), features.size());
}

void check_finite(const Eigen::Ref<const Matrix>& features, Index begin) {
  if (are_all_finite(features)) return;
  for (Index i = 0; i < features.cols(); ++i) {
    for (Index f = 0; f < features.rows(); ++f) {
      if (std::isfinite(features(f, i))) continue;
      throw DataError("features must be finite, without NaN and inf; feature " +
                      std::to_string(f) + " of row " +
                      std::to_string(begin + i) + " is " +
                      format_double(features(f, i)));
    }
  }
}

Vector to_vector(const Numbers& numbers) {
  return Eigen::Map<const Vector>(numbers.data(),
                                  static_cast<Index>(numbers.shape(0)));
}

nb::object to_array(Vector vector) {
  auto owned = std::make_unique<Vector>(std::move(vector));
  double* const data = owned->data();
  const auto size = static_cast<std::size_t>(owned->size());
  const nb::capsule owner(owned.get(), [](void* pointer) noexcept {
    delete static_cast<Vector*>(pointer);
  });
  static_cast<void>(owned.release());
  return nb::cast(nb::ndarray<nb::numpy, double>(data, {size}, owner));
}

nb::object to_array(Matrix matrix) {
  auto owned = std::make_unique<Matrix>(std::move(matrix));
  double* const data = owned->data();
  const auto num_rows = static_cast<std::size_t>(owned->cols());
  const auto num_columns = static_cast<std::size_t>(owned->rows());
  const nb::capsule owner(owned.get(), [](void* pointer) noexcept {
    delete static_cast<Matrix*>(pointer);
  });
  static_cast<void>(owned.release());
  return nb::cast(
      nb::ndarray<nb::numpy, double>(data, {num_rows, num_columns}, owner));
}

}  // namespace mlp::python
