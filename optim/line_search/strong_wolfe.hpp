// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
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
/// A search that continues makes Breeze's trials until Breeze's search fails, and
/// then at most 50 more of each kind. Bracketing then multiplies the step by 10, or
/// bisects below a step whose value is not finite. Zooming bisects if the
/// interpolation is NaN and after its 10 trials. From then on it accepts
/// phi'(t) >= c2 phi'(0) as the second condition, because no step may satisfy the
/// strong condition along a kink, for example of relu. If no trial satisfies both
/// conditions, the search accepts the best step that satisfies the first one. So it
/// fails only if no trial decreases phi enough.
///
/// \source Nocedal and Wright 2006, algorithms 3.5 and 3.6; Breeze
///         optimize/StrongWolfe.scala; Lewis and Overton 2013, Nonsmooth
///         optimization via quasi-Newton methods (bisection and the weak
///         condition)
class StrongWolfe {
 public:
  /// \param origin     phi at t = 0
  /// \param continues  continues where Breeze gives up
  explicit StrongWolfe(const LinePoint& origin, bool continues = false)
      : origin_(origin),
        continues_(continues),
        max_trials_(continues ? kMaxTrials + kMaxContinued : kMaxTrials) {}

  /// Runs the search.
  ///
  /// \param phi         called as LinePoint phi(double t)
  /// \param first_step  the first trial; later trials have no upper bound
  /// \return the accepted step, which is the last t passed to phi; nothing if
  ///         the search failed
  template <typename Phi>
  [[nodiscard]] std::optional<double> search(Phi&& phi, double first_step) {
    if (origin_.derivative > 0.0) return std::nullopt;
    if (continues_ && std::isnan(origin_.derivative)) return std::nullopt;
    LinePoint low = origin_;
    double ceiling = std::numeric_limits<double>::infinity();
    double t = first_step;
    for (int trial = 0; trial < max_trials_; ++trial) {
      if (trial >= kMaxTrials) t = extend(low.t, ceiling);
      const LinePoint point = phi(t);
      if (!std::isfinite(point.value)) {
        ceiling = std::min(ceiling, t);
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
    return fall_back(phi, low);
  }

 private:
  template <typename Phi>
  std::optional<double> zoom(Phi&& phi, LinePoint low, LinePoint high) {
    for (int trial = 0; trial < max_trials_; ++trial) {
      const bool is_continued = trial >= kMaxTrials;
      double t = low.t > high.t ? detail::interpolate(high, low)
                                : detail::interpolate(low, high);
      if (continues_ && (is_continued || std::isnan(t))) {
        if (is_too_narrow(low, high)) break;
        t = low.t == 0.0 ? high.t / kGrowth : middle(low.t, high.t);
      }
      const LinePoint point = phi(t);
      if (std::isnan(t)) return std::nullopt;
      if (is_continued && decreases(point) && is_less_steep(point)) return t;
      if (!decreases(point) || point.value >= low.value) {
        high = point;
      } else {
        if (is_flat(point)) return point.t;
        if (point.derivative * (high.t - low.t) >= 0.0) high = low;
        low = point;
      }
    }
    return fall_back(phi, low);
  }

  /// Returns the next bracketing step of a search that continues.
  ///
  /// \param ceiling  the smallest step whose value is not finite
  static double extend(double low, double ceiling) {
    return std::isinf(ceiling) ? kGrowth * low : middle(low, ceiling);
  }

  static double middle(double a, double b) { return a + 0.5 * (b - a); }

  /// Accepts the lowest step of a search that continues if it decreases phi.
  template <typename Phi>
  std::optional<double> fall_back(Phi&& phi, const LinePoint& low) const {
    if (!continues_ || low.t == 0.0) return std::nullopt;
    phi(low.t);
    return low.t;
  }

  /// Tests if no double lies between two steps, or if phi(0) cannot decrease by
  /// more than its rounding error between them.
  [[nodiscard]] bool is_too_narrow(const LinePoint& low,
                                   const LinePoint& high) const {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    const double t = middle(low.t, high.t);
    if (t == low.t || t == high.t) return true;
    return low.t == 0.0 &&
           -origin_.derivative * high.t <= kEpsilon * std::abs(origin_.value);
  }

  /// Tests the first Wolfe condition. A NaN value passes, as in Breeze, unless
  /// the search continues.
  [[nodiscard]] bool decreases(const LinePoint& point) const {
    if (continues_ && std::isnan(point.value)) return false;
    return !(point.value > origin_.value + kC1 * point.t * origin_.derivative);
  }

  /// Tests the second Wolfe condition.
  [[nodiscard]] bool is_flat(const LinePoint& point) const {
    return std::abs(point.derivative) <= kC2 * std::abs(origin_.derivative);
  }

  /// Tests the second of the weak Wolfe conditions.
  [[nodiscard]] bool is_less_steep(const LinePoint& point) const {
    return point.derivative >= kC2 * origin_.derivative;
  }

  static constexpr double kC1 = 1e-4;
  static constexpr double kC2 = 0.9;
  static constexpr double kGrowth = 10.0;
  static constexpr int kMaxTrials = 10;
  static constexpr int kMaxContinued = 50;

  LinePoint origin_;
  bool continues_;
  int max_trials_;
};

}  // namespace mlp::optim
