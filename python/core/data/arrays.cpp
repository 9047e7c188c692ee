// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "../../../core/error.hpp"

namespace mlp::python {

namespace {

/// Makes an array that owns numbers.
template <typename Owned>
nb::object own(Owned numbers, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<Owned>(std::move(numbers));
  double* const data = owned->data();
  const nb::capsule owner(owned.get(), [](void* pointer) noexcept {
    delete static_cast<Owned*>(pointer);
  });
  static_cast<void>(owned.release());
  return nb::cast(nb::ndarray<nb::numpy, double>(data, shape, owner));
}

}  // namespace

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

Vector to_vector(const Numbers& numbers) {
  return Eigen::Map<const Vector>(numbers.data(),
                                  static_cast<Index>(numbers.shape(0)));
}

nb::object to_array(Vector vector) {
  const auto size = static_cast<std::size_t>(vector.size());
  return own(std::move(vector), {size});
}

nb::object to_array(Matrix matrix) {
  const auto num_rows = static_cast<std::size_t>(matrix.cols());
  const auto num_columns = static_cast<std::size_t>(matrix.rows());
  return own(std::move(matrix), {num_rows, num_columns});
}

}  // namespace mlp::python
