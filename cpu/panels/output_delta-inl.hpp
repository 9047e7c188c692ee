// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_OUTPUT_DELTA_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_OUTPUT_DELTA_INL_HPP
#undef MLP_CPU_PANELS_OUTPUT_DELTA_INL_HPP
#else
#define MLP_CPU_PANELS_OUTPUT_DELTA_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "../../mlp/backend/apply_loss.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/exp-inl.hpp"
#include "../base/panels-inl.hpp"
#include "layer_values-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes deltas and losses from the outputs of the last layer.
///
/// It supports every loss and always computes in double precision.
template <typename T>
class OutputDelta {
 public:
  /// The instances of the columns and their weights.
  struct Columns {
    const InstanceRange* instances;
    const Index* places;  ///< positions in instances [size]; null for 0, 1, ..
    const double* weights;  ///< [size]

    [[nodiscard]] Index place(std::size_t j) const {
      return places ? places[j] : static_cast<Index>(j);
    }
    [[nodiscard]] std::size_t label(std::size_t j) const {
      return static_cast<std::size_t>(instances->labels[place(j)]);
    }
  };

  /// \param likelihood  kOfProbabilities to compute softmax as Spark does
  OutputDelta(const Topology& topology, Likelihood likelihood,
              std::size_t num_columns)
      : loss_(topology.loss_function()),
        likelihood_(loss_.label_smoothing == 0.0 ? likelihood
                                                 : Likelihood::kLogSumExp),
        rows_(static_cast<std::size_t>(topology.num_classes())),
        stride_((rows_.rows() + kLanes<double> - 1) / kLanes<double> *
                kLanes<double>),
        numbers_(stride_ * num_columns),
        losses_(num_columns) {}

  /// Computes columns of the delta of the last layer, and their losses. Other
  /// columns may be computed at the same time.
  void compute(const Columns& columns, const Range& range,
               LayerValues<T>& values) const {
    copy<false>(range, values);
    if (loss_.kind == Loss::kSoftmaxNll) {
      softmax(columns, range);
    } else {
      for (std::size_t j = range.begin; j < range.end; ++j) {
        losses_.data()[j] = apply_loss(
            loss_, likelihood_, *columns.instances, columns.place(j),
            columns.weights[j],
            Eigen::Map<Vector>(number(j), static_cast<Index>(rows_.rows())));
      }
    }
    copy<true>(range, values);
  }

  /// Returns the sum of weight times loss of the first columns.
  [[nodiscard]] double sum_losses(std::size_t num_columns) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < num_columns; ++j) sum += losses_.data()[j];
    return sum;
  }

 private:
  [[nodiscard]] double* number(std::size_t j) const {
    return numbers_.data() + j * stride_;
  }

  /// Copies the outputs of the last layer to numbers_, or the deltas back.
  template <bool kIsBack>
  void copy(const Range& range, LayerValues<T>& values) const {
    const auto& layer = values.layers.back();
    for (std::size_t j = range.begin; j < range.end; ++j) {
      double* at = number(j);
      for (std::size_t p = 0; p < rows_.count(); ++p) {
        const T* from = values.panel(layer.output, p) + j * kPanelRows<T>;
        T* to = values.panel(layer.delta, p) + j * kPanelRows<T>;
        for (std::size_t i = 0; i < rows_.rows_of(p); ++i, ++at) {
          if constexpr (kIsBack) {
            to[i] = static_cast<T>(*at);
          } else {
            *at = static_cast<double>(from[i]);
          }
        }
      }
    }
  }

  void softmax(const Columns& columns, const Range& range) const {
    for (std::size_t j = range.begin; j < range.end; ++j) {
      subtract_largest(number(j));
      losses_.data()[j] = target_sum(number(j), columns.label(j));
    }
    const Tag<double> d;
    for (double* at = number(range.begin); at < number(range.end);
         at += kLanes<double>) {
      hn::Store(exponential(d, hn::Load(d, at)), d, at);
    }
    for (std::size_t j = range.begin; j < range.end; ++j) {
      double& loss = losses_.data()[j];
      if (columns.weights[j] == 0.0) {
        std::fill_n(number(j), rows_.rows(), 0.0);
        loss = 0.0;
      } else if (likelihood_ == Likelihood::kOfProbabilities) {
        loss = delta_of_probabilities(number(j), columns.label(j),
                                      columns.weights[j]);
      } else {
        loss = delta_of_log_sum(number(j), columns.label(j), columns.weights[j],
                                loss);
      }
    }
  }

  /// Subtracts the largest z (mlp/network/loss_formulas.hpp). NaN is never the
  /// largest.
  void subtract_largest(double* z) const {
    double largest = std::numeric_limits<double>::lowest();
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      if (z[i] > largest) largest = z[i];
    }
    for (std::size_t i = 0; i < rows_.rows(); ++i) z[i] -= largest;
  }

  /// Returns the sum of t z. The target t, smoothed or not, sums to 1.
  [[nodiscard]] double target_sum(const double* z, std::size_t at) const {
    if (loss_.label_smoothing == 0.0) return z[at];
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) sum += z[i];
    return loss_.label_smoothing / static_cast<double>(rows_.rows()) * sum +
           (1.0 - loss_.label_smoothing) * z[at];
  }

  /// Turns exp(z - largest) of one instance into weight (p - t).
  ///
  /// \return weight times loss, NaN if a probability other than the label's is
  ///         not above 0 (mlp/network/loss_formulas.hpp)
  double delta_of_probabilities(double* e, std::size_t label,
                                double weight) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) sum += e[i];
    bool is_number = true;
    double of_label = 0.0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const double p = e[i] / sum;
      if (i == label) of_label = p;
      is_number = is_number && (i == label || p > 0.0);
      e[i] = weight * (i == label ? p - 1.0 : p);
    }
    return is_number ? weight * -std::log(of_label)
                     : std::numeric_limits<double>::quiet_NaN();
  }

  /// Turns exp(z - largest) of one instance into weight (p - t), by log-sum-exp
  /// (mlp/network/loss_formulas.hpp).
  ///
  /// \param sum_of_targets  sum of t (z - largest)
  /// \return weight times the sum of -t log p = log(sum of exp) - sum of t z
  double delta_of_log_sum(double* e, std::size_t label, double weight,
                          double sum_of_targets) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) sum += e[i];
    const double even =
        loss_.label_smoothing / static_cast<double>(rows_.rows());
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const double target =
          even + (i == label ? 1.0 - loss_.label_smoothing : 0.0);
      e[i] = weight * (e[i] / sum - target);
    }
    return weight * (std::log(sum) - sum_of_targets);
  }

  LossFunction loss_;
  Likelihood likelihood_;
  Panels<T> rows_;
  std::size_t stride_;
  AlignedArray<double> numbers_;  // [stride x columns]
  AlignedArray<double> losses_;   // weight times loss   [columns]
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
