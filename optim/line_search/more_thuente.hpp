// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "strong_wolfe.hpp"

/// The line search of Moré and Thuente, as in SciPy's L-BFGS-B.
namespace mlp::optim {

namespace detail {

/// The interval that contains the step: its best end and its other end.
struct SearchInterval {
  LinePoint best;
  LinePoint other;
  bool is_bracketed = false;  ///< the step is between the ends
  double lower = 0.0;         ///< of the next step
  double upper = 0.0;
};

/// The coefficients of the cubic through two points.
struct Cubic {
  double theta = 0.0;
  double gamma = 0.0;  ///< NaN if the cubic has no extremum

  Cubic(const LinePoint& a, const LinePoint& b, bool is_clamped = false) {
    theta =
        3.0 * (a.value - b.value) / (b.t - a.t) + a.derivative + b.derivative;
    const double scale = std::max(
        {std::abs(theta), std::abs(a.derivative), std::abs(b.derivative)});
    const double square = (theta / scale) * (theta / scale) -
                          (a.derivative / scale) * (b.derivative / scale);
    gamma = scale * std::sqrt(is_clamped ? std::max(0.0, square) : square);
  }
};

/// The extremum of a cubic through two points.
inline double extremum(Cubic cubic, const LinePoint& from,
                       const LinePoint& to) {
  if (to.t < from.t) cubic.gamma = -cubic.gamma;
  const double above = cubic.gamma - from.derivative + cubic.theta;
  const double below =
      cubic.gamma - from.derivative + cubic.gamma + to.derivative;
  return from.t + above / below * (to.t - from.t);
}

/// The minimum of the parabola with the slopes of two points, from b on.
inline double secant(const LinePoint& a, const LinePoint& b) {
  return b.t + b.derivative / (b.derivative - a.derivative) * (a.t - b.t);
}

/// Returns the step that is nearer to a point.
inline double nearer(double t, double one, double other) {
  return std::abs(one - t) < std::abs(other - t) ? one : other;
}

/// A higher value: the minimum is between the best point and the trial.
inline double step_to_higher(const LinePoint& x, const LinePoint& p) {
  const double by_cubic = extremum(Cubic(x, p), x, p);
  const double slope = (x.value - p.value) / (p.t - x.t) + x.derivative;
  const double by_parabola = x.t + x.derivative / slope / 2.0 * (p.t - x.t);
  if (std::abs(by_cubic - x.t) < std::abs(by_parabola - x.t)) return by_cubic;
  return by_cubic + (by_parabola - by_cubic) / 2.0;
}

/// A lower value and a derivative of the other sign.
inline double step_to_other_slope(const LinePoint& x, const LinePoint& p) {
  const double by_cubic = extremum(Cubic(x, p), p, x);
  const double by_secant = secant(x, p);
  return std::abs(by_cubic - p.t) > std::abs(by_secant - p.t) ? by_cubic
                                                              : by_secant;
}

/// A lower value and a derivative of the same sign that is less steep.
inline double step_to_flatter(const SearchInterval& interval,
                              const LinePoint& p) {
  const LinePoint& x = interval.best;
  Cubic cubic(x, p, true);
  if (p.t > x.t) cubic.gamma = -cubic.gamma;
  const double above = cubic.gamma - p.derivative + cubic.theta;
  const double below =
      cubic.gamma + (x.derivative - p.derivative) + cubic.gamma;
  const double ratio = above / below;
  double by_cubic = p.t > x.t ? interval.upper : interval.lower;
  if (ratio < 0.0 && cubic.gamma != 0.0) by_cubic = p.t + ratio * (x.t - p.t);
  const double by_secant = secant(x, p);
  if (!interval.is_bracketed) {
    const double step = std::abs(by_cubic - p.t) > std::abs(by_secant - p.t)
                            ? by_cubic
                            : by_secant;
    return std::max(interval.lower, std::min(interval.upper, step));
  }
  const double step = nearer(p.t, by_cubic, by_secant);
  const double bound = p.t + 0.66 * (interval.other.t - p.t);
  return p.t > x.t ? std::min(bound, step) : std::max(bound, step);
}

/// A lower value and a derivative of the same sign that is as steep.
inline double step_to_steeper(const SearchInterval& interval,
                              const LinePoint& p) {
  if (!interval.is_bracketed) {
    return p.t > interval.best.t ? interval.upper : interval.lower;
  }
  return extremum(Cubic(p, interval.other), p, interval.other);
}

/// Chooses the next step after a trial, and takes the trial as one of the ends.
///
/// \source MINPACK-2, dcstep.f
inline double next_step(SearchInterval& interval, const LinePoint& p) {
  const LinePoint x = interval.best;
  const bool has_other_slope =
      p.derivative * (x.derivative / std::abs(x.derivative)) < 0.0;
  double step = 0.0;
  if (p.value > x.value) {
    step = step_to_higher(x, p);
    interval.is_bracketed = true;
  } else if (has_other_slope) {
    step = step_to_other_slope(x, p);
    interval.is_bracketed = true;
  } else if (std::abs(p.derivative) < std::abs(x.derivative)) {
    step = step_to_flatter(interval, p);
  } else {
    step = step_to_steeper(interval, p);
  }
  if (p.value > x.value) {
    interval.other = p;
  } else {
    if (has_other_slope) interval.other = x;
    interval.best = p;
  }
  return step;
}

}  // namespace detail

/// Searches for a step that satisfies the strong Wolfe conditions with the trials
/// of SciPy's L-BFGS-B.
///
/// \source Moré and Thuente 1994; MINPACK-2, dcsrch.f, with the tolerances of
///         lnsrlb in L-BFGS-B 3.0
class MoreThuente {
 public:
  /// \param origin  phi at t = 0
  explicit MoreThuente(const LinePoint& origin) : origin_(origin) {}

  /// Runs the search, as StrongWolfe::search().
  template <typename Phi>
  [[nodiscard]] std::optional<double> search(Phi&& phi, double first_step) {
    if (!(origin_.derivative < 0.0)) return std::nullopt;
    interval_ = {origin_, origin_, false, 0.0, 5.0 * first_step};
    double t = std::min(first_step, kMaxStep);
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      const LinePoint point = phi(t);
      if (!std::isfinite(point.value)) {
        t = interval_.best.t + 0.5 * (t - interval_.best.t);
        continue;
      }
      if (ends_with(point)) return point.t;
      t = move(point);
    }
    return std::nullopt;
  }

 private:
  /// phi less its first tangent, which the first stage minimises.
  [[nodiscard]] LinePoint tilted(const LinePoint& p, double sign) const {
    const double slope = sign * kC1 * origin_.derivative;
    return {p.t, p.value - p.t * slope, p.derivative - slope};
  }

  [[nodiscard]] bool is_narrow() const {
    return interval_.is_bracketed &&
           interval_.upper - interval_.lower <= kXtol * interval_.upper;
  }

  [[nodiscard]] bool is_at_end(double t) const {
    return interval_.is_bracketed &&
           (t <= interval_.lower || t >= interval_.upper);
  }

  /// Tests if a trial satisfies both conditions, or if no better one can be found.
  bool ends_with(const LinePoint& p) {
    const double slope = kC1 * origin_.derivative;
    const bool decreases = p.value <= origin_.value + p.t * slope;
    if (decreases && p.derivative >= 0.0) is_first_stage_ = false;
    const bool is_flat = std::abs(p.derivative) <= -kC2 * origin_.derivative;
    const bool is_last = p.t == kMaxStep && decreases && p.derivative <= slope;
    return (decreases && is_flat) || is_at_end(p.t) || is_narrow() || is_last;
  }

  /// Narrows the interval by a trial.
  ///
  /// \return the next trial
  double move(const LinePoint& p) {
    const bool decreases =
        p.value <= origin_.value + p.t * kC1 * origin_.derivative;
    double t = 0.0;
    if (is_first_stage_ && p.value <= interval_.best.value && !decreases) {
      interval_.best = tilted(interval_.best, 1.0);
      interval_.other = tilted(interval_.other, 1.0);
      t = detail::next_step(interval_, tilted(p, 1.0));
      interval_.best = tilted(interval_.best, -1.0);
      interval_.other = tilted(interval_.other, -1.0);
    } else {
      t = detail::next_step(interval_, p);
    }
    return limit(t);
  }

  /// Bisects if the interval shrinks too slowly, and sets the bounds of the
  /// next trials.
  double limit(double t) {
    const double x = interval_.best.t;
    const double y = interval_.other.t;
    if (interval_.is_bracketed) {
      if (std::abs(y - x) >= 0.66 * width_before_) t = x + 0.5 * (y - x);
      width_before_ = std::exchange(width_, std::abs(y - x));
      interval_.lower = std::min(x, y);
      interval_.upper = std::max(x, y);
    } else {
      interval_.lower = t + 1.1 * (t - x);
      interval_.upper = t + 4.0 * (t - x);
    }
    t = std::clamp(t, 0.0, kMaxStep);
    return is_at_end(t) || is_narrow() ? x : t;
  }

  static constexpr double kC1 = 1e-3;
  static constexpr double kC2 = 0.9;
  static constexpr double kXtol = 0.1;
  static constexpr double kMaxStep = 1e10;
  static constexpr int kMaxTrials = 20;

  LinePoint origin_;
  detail::SearchInterval interval_;
  bool is_first_stage_ = true;
  double width_ = kMaxStep;
  double width_before_ = 2.0 * kMaxStep;
};

}  // namespace mlp::optim
