// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_LANES_LANE_OUTPUT_DELTA_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANES_LANE_OUTPUT_DELTA_INL_HPP
#undef MLP_CPU_LANES_LANE_OUTPUT_DELTA_INL_HPP
#else
#define MLP_CPU_LANES_LANE_OUTPUT_DELTA_INL_HPP
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstddef>
#include <limits>

#include "../../mlp/network/loss.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/exp-inl.hpp"
#include "../base/panels-inl.hpp"
#include "lane_product-inl.hpp"
#include "lane_tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes deltas and loss of softmax, with one instance per lane.
///
/// It computes mlp/network/loss_formulas.hpp in double precision. Each step
/// runs over all instances of a tile before the next one: for one vector alone,
/// each step from the maximum to the logarithm would wait for the one before.
template <typename T>
class LaneOutputDelta {
 public:
  /// \param likelihood  kOfProbabilities to compute as Spark does
  LaneOutputDelta(const Topology& topology, Likelihood likelihood)
      : num_classes_(static_cast<std::size_t>(topology.num_classes())),
        smoothing_(topology.loss_function().label_smoothing),
        likelihood_(likelihood),
        powers_(num_classes_ * kLaneTile<T>),
        arguments_(kLaneTile<T>),
        addends_(kLaneTile<T>) {}

  /// \param         z       [num_classes x kLaneTile]
  /// \param[out]    delta   weight (p - t)   [num_classes x kLaneTile]
  /// \param[in,out] losses  running sums of weight times loss   [kChains]
  HWY_INLINE void compute(const LaneTile<T>& tile, const T* z, T* delta,
                          double* losses) const {
    if (likelihood_ == Likelihood::kOfProbabilities) {
      compute_as<Likelihood::kOfProbabilities>(tile, z, delta, losses);
    } else {
      compute_as<Likelihood::kLogSumExp>(tile, z, delta, losses);
    }
  }

 private:
  using Vector = hn::Vec<Tag<double>>;

  template <Likelihood kLikelihood>
  void compute_as(const LaneTile<T>& tile, const T* z, T* delta,
                  double* losses) const {
    constexpr bool kIsLogSum = kLikelihood == Likelihood::kLogSumExp;
    const Tag<double> d;
    for (std::size_t j = 0; j < tile.size; j += kLanes<double>) {
      subtract_largest(z + j, powers_.data() + j);
      if constexpr (kIsLogSum) sum_targets(tile, j);
    }
    for (std::size_t c = 0; c < num_classes_; ++c) {
      double* power = powers_.data() + c * kLaneTile<T>;
      for (std::size_t j = 0; j < tile.size; j += kLanes<double>) {
        hn::Store(exponential(d, hn::Load(d, power + j)), d, power + j);
      }
    }
    for (std::size_t j = 0; j < tile.size; j += kLanes<double>) {
      if constexpr (kIsLogSum) {
        compute_smoothed_delta(tile, j, delta + j);
      } else {
        compute_delta(tile, j, delta + j);
      }
    }
    for (std::size_t j = 0; j < tile.size; j += kLanes<double>) {
      const auto weight = hn::Load(d, tile.weights + j);
      const auto log = logarithm(hn::Load(d, arguments_.data() + j));
      const auto addend = hn::Load(d, addends_.data() + j);
      const auto loss = kIsLogSum ? hn::Sub(log, addend) : hn::Sub(addend, log);
      double* sum = losses + j % kChains<double>;
      hn::Store(hn::Add(hn::Load(d, sum), weigh(weight, loss)), d, sum);
    }
  }

  /// Subtracts the largest z. NaN is never the largest.
  void subtract_largest(const T* z, double* to) const {
    const Tag<double> d;
    Vector largest = hn::Set(d, std::numeric_limits<double>::lowest());
    for (std::size_t c = 0; c < num_classes_; ++c) {
      const Vector x = load_double(z + c * kLaneTile<T>);
      largest = hn::IfThenElse(hn::Gt(x, largest), x, largest);
    }
    for (std::size_t c = 0; c < num_classes_; ++c) {
      const Vector x = load_double(z + c * kLaneTile<T>);
      hn::Store(hn::Sub(x, largest), d, to + c * kLaneTile<T>);
    }
  }

  /// Computes delta. Stores the probability of the label, and NaN if another
  /// probability is not above 0.
  void compute_delta(const LaneTile<T>& tile, std::size_t j, T* delta) const {
    const Tag<double> d;
    const Vector one = hn::Set(d, 1.0);
    const Vector nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const double* power = powers_.data() + j;
    Vector sum = hn::Zero(d);
    for (std::size_t c = 0; c < num_classes_; ++c) {
      sum = hn::Add(sum, hn::Load(d, power + c * kLaneTile<T>));
    }
    const Vector label = hn::Load(d, tile.labels + j);
    const Vector weight = hn::Load(d, tile.weights + j);
    Vector of_label = hn::Zero(d);
    Vector poison = hn::Zero(d);
    for (std::size_t c = 0; c < num_classes_; ++c) {
      const Vector p = hn::Div(hn::Load(d, power + c * kLaneTile<T>), sum);
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<double>(c)));
      of_label = hn::IfThenElse(is_label, p, of_label);
      const auto is_fine = hn::Or(is_label, hn::Gt(p, hn::Zero(d)));
      poison = hn::IfThenElse(is_fine, poison, nan);
      const Vector difference = hn::Sub(p, hn::IfThenElseZero(is_label, one));
      store_from_double(weigh(weight, difference), delta + c * kLaneTile<T>);
    }
    hn::Store(of_label, d, arguments_.data() + j);
    hn::Store(poison, d, addends_.data() + j);
  }

  /// Stores the sum of t (z - largest). The target t, smoothed or not, sums to 1.
  void sum_targets(const LaneTile<T>& tile, std::size_t j) const {
    const Tag<double> d;
    const Vector label = hn::Load(d, tile.labels + j);
    const double* z = powers_.data() + j;
    Vector of_label = hn::Zero(d);
    Vector sum = hn::Zero(d);
    for (std::size_t c = 0; c < num_classes_; ++c) {
      const Vector x = hn::Load(d, z + c * kLaneTile<T>);
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<double>(c)));
      of_label = hn::IfThenElse(is_label, x, of_label);
      sum = hn::Add(sum, x);
    }
    if (smoothing_ > 0.0) {
      of_label = hn::Add(hn::Mul(hn::Set(d, even()), sum),
                         hn::Mul(hn::Set(d, 1.0 - smoothing_), of_label));
    }
    hn::Store(of_label, d, addends_.data() + j);
  }

  /// Computes delta = weight (p - t). Stores the sum of exp(z - largest).
  void compute_smoothed_delta(const LaneTile<T>& tile, std::size_t j,
                              T* delta) const {
    const Tag<double> d;
    const double* power = powers_.data() + j;
    Vector sum = hn::Zero(d);
    for (std::size_t c = 0; c < num_classes_; ++c) {
      sum = hn::Add(sum, hn::Load(d, power + c * kLaneTile<T>));
    }
    const Vector label = hn::Load(d, tile.labels + j);
    const Vector weight = hn::Load(d, tile.weights + j);
    const Vector other = hn::Set(d, even());
    const Vector of_label = hn::Set(d, even() + (1.0 - smoothing_));
    for (std::size_t c = 0; c < num_classes_; ++c) {
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<double>(c)));
      const Vector target = hn::IfThenElse(is_label, of_label, other);
      const Vector p = hn::Div(hn::Load(d, power + c * kLaneTile<T>), sum);
      store_from_double(weigh(weight, hn::Sub(p, target)),
                        delta + c * kLaneTile<T>);
    }
    hn::Store(sum, d, arguments_.data() + j);
  }

  /// Returns the share of the target that every class has.
  [[nodiscard]] double even() const {
    return smoothing_ / static_cast<double>(num_classes_);
  }

  /// Returns weight x; 0 for padding, for every x.
  static Vector weigh(Vector weight, Vector x) {
    const auto is_padding = hn::Eq(weight, hn::Zero(Tag<double>()));
    return hn::IfThenZeroElse(is_padding, hn::Mul(weight, x));
  }

  /// Returns log p; -infinity for 0, NaN for NaN.
  static Vector logarithm(Vector p) {
    const Tag<double> d;
    const double infinity = std::numeric_limits<double>::infinity();
    const auto log = hn::IfThenElse(hn::Eq(p, hn::Zero(d)),
                                    hn::Set(d, -infinity), hn::Log(d, p));
    return hn::IfThenElse(hn::IsNaN(p), p, log);
  }

  static Vector load_double(const T* from) {
    const Tag<double> d;
    if constexpr (sizeof(T) == sizeof(double)) {
      return hn::Load(d, from);
    } else {
      const hn::Rebind<float, Tag<double>> half;
      return hn::PromoteTo(d, hn::Load(half, from));
    }
  }

  static void store_from_double(Vector x, T* to) {
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::Store(x, Tag<double>(), to);
    } else {
      const hn::Rebind<float, Tag<double>> half;
      hn::Store(hn::DemoteTo(half, x), half, to);
    }
  }

  std::size_t num_classes_;
  double smoothing_;
  Likelihood likelihood_;
  AlignedArray<double> powers_;  // exp(z - largest)

  // The loss is addend - log(argument) with the probability of the label and 0
  // or NaN, or log(argument) - addend with the sum of exp and sum_targets().
  AlignedArray<double> arguments_;
  AlignedArray<double> addends_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
