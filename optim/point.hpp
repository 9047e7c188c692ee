// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "../core/types.hpp"

namespace mlp::optim {

/// The x of an iteration: a vector, or a function that copies it from a device
/// when somebody reads it. It is used like a const Vector&.
class Point {
 public:
  /// \param x  must outlive this object
  Point(const Vector& x) : x_(&x) {}

  /// \param read  returns x, which must outlive this object; called when x is
  ///              read first
  explicit Point(std::function<const Vector&()> read)
      : read_(std::move(read)) {}

  [[nodiscard]] const Vector& vector() const {
    if (!x_) x_ = &read_();
    return *x_;
  }

  operator const Vector&() const { return vector(); }

  [[nodiscard]] Index size() const { return vector().size(); }
  [[nodiscard]] double operator[](Index i) const { return vector()[i]; }

 private:
  mutable const Vector* x_ = nullptr;  ///< null until it is read
  std::function<const Vector&()> read_;
};

/// Returns the x of a solver's vectors, which a device copies only if it is read.
///
/// \param vectors  must outlive the result; those of the host have kIsOnHost
template <typename Vectors>
[[nodiscard]] Point point_of(Vectors& vectors) {
  if constexpr (requires { Vectors::kIsOnHost; }) return vectors.x();
  return Point([&vectors]() -> const Vector& { return vectors.x(); });
}

}  // namespace mlp::optim
