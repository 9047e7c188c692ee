// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

/// A line search that satisfies the strong Wolfe conditions, as in Breeze.
namespace mlp::optim {

/// One point of phi(t) = f(x + t direction).
struct LinePoint {
  double t = 0.0;
  double value = 0.0;       ///< phi(t)
  double derivative = 0.0;  ///< phi'(t) = gradient(x + t direction).direction
};

namespace detail {

/// Returns the minimum of the cubic through two points with l.t < r.t.
///
/// The result is limited to the inner 80 % of the interval. It is NaN if the
/// cubic has no minimum: as in Breeze, the square root of a negative number is
/// a failure and is not clamped.
///
/// \source Nocedal and Wright 2006, equation 3.59
inline double interpolate(const LinePoint& l, const LinePoint& r) {
  const double width = r.t - l.t;
  const double d1 =
      l.derivative + r.derivative - 3.0 * (l.value - r.value) / (l.t - r.t);
  const double d2 = std::sqrt(d1 * d1 - l.derivative * r.derivative);
  const double t = r.t - width * (r.derivative + d2 - d1) /
                             (r.derivative - l.derivative + 2.0 * d2);
  const double lower = l.t + 0.1 * width;
  const double upper = l.t + 0.9 * width;
  if (t < lower) return lower;
  if (t > upper) return upper;
  return t;
}

}  // namespace detail

/// Searches for a step that satisfies the strong Wolfe conditions.
///
/// The conditions are phi(t) <= phi(0) + c1 t phi'(0) and
/// |phi'(t)| <= c2 |phi'(0)|. The constants and the limits of 10 bracketing and
/// 10 zooming trials are those of Breeze.
///
/// \source Nocedal and Wright 2006, algorithms 3.5 and 3.6; Breeze
///         optimize/StrongWolfe.scala
class StrongWolfe {
 public:
  /// \param origin  phi at t = 0
  explicit StrongWolfe(const LinePoint& origin) : origin_(origin) {}

  /// Runs the search.
  ///
  /// \param phi         called as LinePoint phi(double t)
  /// \param first_step  the first trial; later trials have no upper bound
  /// \return the accepted step, which is the last t passed to phi; nothing if
  ///         the search failed
  template <typename Phi>
  [[nodiscard]] std::optional<double> search(Phi&& phi, double first_step) {
    if (origin_.derivative > 0.0) return std::nullopt;
    LinePoint low = origin_;
    double t = first_step;
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      const LinePoint point = phi(t);
      if (!std::isfinite(point.value)) {
        t /= 2.0;
        continue;
      }
      const bool is_worse_than_low = trial > 0 && point.value >= low.value;
      if (!decreases(point) || is_worse_than_low) return zoom(phi, low, point);
      if (is_flat(point)) return point.t;
      if (point.derivative >= 0.0) return zoom(phi, point, low);
      low = point;
      t *= 1.5;
    }
    return std::nullopt;
  }

 private:
  template <typename Phi>
  std::optional<double> zoom(Phi&& phi, LinePoint low, LinePoint high) {
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      const double t = low.t > high.t ? detail::interpolate(high, low)
                                      : detail::interpolate(low, high);
      const LinePoint point = phi(t);
      if (std::isnan(t)) return std::nullopt;
      if (!decreases(point) || point.value >= low.value) {
        high = point;
      } else {
        if (is_flat(point)) return point.t;
        if (point.derivative * (high.t - low.t) >= 0.0) high = low;
        low = point;
      }
    }
    return std::nullopt;
  }

  /// Tests the first Wolfe condition. A NaN value passes, as in Breeze.
  [[nodiscard]] bool decreases(const LinePoint& point) const {
    return !(point.value > origin_.value + kC1 * point.t * origin_.derivative);
  }

  /// Tests the second Wolfe condition.
  [[nodiscard]] bool is_flat(const LinePoint& point) const {
    return std::abs(point.derivative) <= kC2 * std::abs(origin_.derivative);
  }

  static constexpr double kC1 = 1e-4;
  static constexpr double kC2 = 0.9;
  static constexpr int kMaxTrials = 10;

  LinePoint origin_;
};

}  // namespace mlp::optim
