// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_GENERAL_LOSS_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_LOSS_KERNELS_INL_HPP
#undef MLP_CPU_GENERAL_LOSS_KERNELS_INL_HPP
#else
#define MLP_CPU_GENERAL_LOSS_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../../mlp/backend/apply_loss.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/exp-inl.hpp"
#include "../tiles/output_delta-inl.hpp"
#include "general_product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes deltas and losses from the outputs of the last layer.
///
/// It supports every loss and always computes in double precision. Softmax is
/// computed by log-sum-exp, because these networks are not Spark's or not trained
/// as Spark does.
template <typename T>
class LossKernels {
 public:
  /// The instances of the columns and their weights.
  struct Columns {
    const InstanceRange* instances;
    const Index* places;    ///< positions in instances   [size]
    const double* weights;  ///< [size]
  };

  LossKernels(const Topology& topology, std::size_t capacity)
      : loss_(topology.loss_function()),
        rows_(static_cast<std::size_t>(topology.num_classes())),
        stride_((rows_.rows() + kLanes<double> - 1) / kLanes<double> *
                kLanes<double>),
        numbers_(stride_ * capacity) {}

  /// Computes columns first .. end - 1. Other columns may be computed at the
  /// same time.
  ///
  /// \param      z       panels with num_columns columns
  /// \param[out] delta   panels with num_columns columns
  /// \param[out] losses  weight times loss of each column
  void compute(const Columns& columns, std::size_t first, std::size_t end,
               std::size_t num_columns, const T* z, T* delta,
               double* losses) const {
    for (std::size_t j = first; j < end; ++j) {
      double* number = numbers_.data() + j * stride_;
      for (std::size_t p = 0; p < rows_.count(); ++p) {
        const T* from = z + place(p, j, num_columns);
        for (std::size_t i = 0; i < rows_.rows_of(p); ++i) {
          *number++ = static_cast<double>(from[i]);
        }
      }
    }
    if (loss_.kind == Loss::kSoftmaxNll) {
      softmax(columns, first, end, losses);
    } else {
      squared_error(columns, first, end, losses);
    }
    for (std::size_t j = first; j < end; ++j) {
      const double* number = numbers_.data() + j * stride_;
      for (std::size_t p = 0; p < rows_.count(); ++p) {
        T* to = delta + place(p, j, num_columns);
        for (std::size_t i = 0; i < rows_.rows_of(p); ++i) {
          to[i] = static_cast<T>(*number++);
        }
      }
    }
  }

 private:
  static std::size_t place(std::size_t p, std::size_t j,
                           std::size_t num_columns) {
    return GeneralPanels<T>::offset(p, num_columns) + j * kGeneralRows<T>;
  }

  void squared_error(const Columns& columns, std::size_t first, std::size_t end,
                     double* losses) const {
    const auto num_outputs = static_cast<Index>(rows_.rows());
    for (std::size_t j = first; j < end; ++j) {
      Eigen::Map<Vector> number(numbers_.data() + j * stride_, num_outputs);
      losses[j] = apply_loss(loss_, Likelihood::kLogSumExp, *columns.instances,
                             columns.places[j], columns.weights[j], number);
    }
  }

  void softmax(const Columns& columns, std::size_t first, std::size_t end,
               double* losses) const {
    const std::size_t num_classes = rows_.rows();
    for (std::size_t j = first; j < end; ++j) {
      double* number = numbers_.data() + j * stride_;
      OutputDelta<T>::subtract_largest(number, num_classes);
      losses[j] = target_sum(number, label(columns, j));
    }
    const Tag<double> d;
    for (std::size_t i = stride_ * first; i < stride_ * end;
         i += kLanes<double>) {
      double* at = numbers_.data() + i;
      hn::Store(exponential(d, hn::Load(d, at)), d, at);
    }
    for (std::size_t j = first; j < end; ++j) {
      double* number = numbers_.data() + j * stride_;
      losses[j] = softmax_delta(number, label(columns, j), columns.weights[j],
                                losses[j]);
    }
  }

  static std::size_t label(const Columns& columns, std::size_t j) {
    return static_cast<std::size_t>(
        columns.instances->labels[columns.places[j]]);
  }

  /// Returns the sum of t z. The target t, smoothed or not, sums to 1.
  [[nodiscard]] double target_sum(const double* z, std::size_t at) const {
    if (loss_.label_smoothing == 0.0) return z[at];
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) sum += z[i];
    return loss_.label_smoothing / static_cast<double>(rows_.rows()) * sum +
           (1.0 - loss_.label_smoothing) * z[at];
  }

  /// Turns exp(z - largest) of one instance into weight (p - t), by log-sum-exp
  /// (mlp/network/loss_formulas.hpp).
  ///
  /// \param sum_of_targets  sum of t (z - largest)
  /// \return weight times the sum of -t log p = log(sum of exp) - sum of t z
  double softmax_delta(double* e, std::size_t at, double weight,
                       double sum_of_targets) const {
    const std::size_t num_classes = rows_.rows();
    if (weight == 0.0) {
      std::fill_n(e, num_classes, 0.0);
      return 0.0;
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < num_classes; ++i) sum += e[i];
    const double even =
        loss_.label_smoothing / static_cast<double>(num_classes);
    for (std::size_t i = 0; i < num_classes; ++i) {
      const double target =
          even + (i == at ? 1.0 - loss_.label_smoothing : 0.0);
      e[i] = weight * (e[i] / sum - target);
    }
    return weight * (std::log(sum) - sum_of_targets);
  }

  LossFunction loss_;
  GeneralPanels<T> rows_;
  std::size_t stride_;
  AlignedArray<double> numbers_;  // [stride x capacity]
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
