// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/quantile_encoder.hpp"
#include "../backend/backend.hpp"
#include "../backend/precision.hpp"
#include "../backend/reference_backend.hpp"
#include "../backend/scoring_plan.hpp"
#include "../network/loss_formulas.hpp"
#include "prediction.hpp"

namespace mlp {

class Model;

/// A model prepared for fast scoring of many rows.
///
/// The weights are packed once for a backend. Make a Scorer to score rows more
/// than once; Model makes one for each call.
///
/// One row is passed by pointer, because computing a row of a few features
/// costs less than any object around it. The CPU kernels allocate nothing per
/// row unless a layer is wide, and a row has the same bits alone and in a
/// batch.
///
/// Thread safety: all members are const and may run at the same time.
class Scorer {
 public:
  /// Instances per unit of work. Every kernel's group size divides it, so batches
  /// of a multiple of it give the bits of one large batch with every backend.
  static constexpr Index kPartSize = 256;

  /// \param model      may be destroyed afterwards
  /// \param precision  the precision of the computation; it changes the results
  /// \throws ParamError if the backend does not support this precision
  /// \note   defined in model.hpp
  explicit Scorer(const Model& model,
                  const Backend& backend = reference_backend(),
                  Precision precision = Precision::kFloat64);

  [[nodiscard]] const std::vector<Index>& layers() const { return layers_; }

  /// Returns the number of features of a row. An encoder makes the inputs of the network
  /// of them.
  [[nodiscard]] Index num_features() const {
    return encoder_ ? encoder_->num_features() : layers_.front();
  }
  [[nodiscard]] Index num_classes() const { return layers_.back(); }

  /// Computes the outputs of the last layer for one row, before the softmax.
  ///
  /// \tparam     Number    double or float
  /// \param      features  not yet scaled   [num_features]
  /// \param[out] raw       [num_classes]
  template <typename Number>
  void predict_raw(const Number* features, Number* raw) const {
    compute_raw(features, 1, raw);
  }

  /// Computes the probability of each class for one row.
  ///
  /// \param      features     not yet scaled   [num_features]
  /// \param[out] probability  sums to 1   [num_classes]
  template <typename Number>
  void predict_probability(const Number* features, Number* probability) const {
    compute_raw(features, 1, probability);
    with_doubles(probability, [](Eigen::Ref<Vector> raw) { softmax(raw); });
  }

  /// Predicts the class of one row. Thresholds are applied.
  ///
  /// \param features  not yet scaled   [num_features]
  /// \return class index
  template <typename Number>
  [[nodiscard]] Index predict(const Number* features) const {
    Memory<Number> raw(num_classes());
    compute_raw(features, 1, raw.data());
    Index best = 0;
    with_doubles(raw.data(),
                 [&](Eigen::Ref<Vector> z) { best = choose_class(z); });
    return best;
  }

  /// Computes the outputs of the last layer for rows that lie one after another in
  /// memory, before the softmax.
  ///
  /// \tparam     Number       double or float
  /// \tparam     Output       Number, or double: the outputs then have the bits that
  ///                          the same features of type double give
  /// \param      features     not yet scaled   [num_features x num_instances]
  /// \param[out] raw          [num_classes x num_instances]
  /// \param      num_threads  as below
  template <typename Number, typename Output>
  void predict_raw(const Number* features, Index num_instances, Output* raw,
                   int num_threads = 1) const {
    for_each_part(num_instances, num_threads, [&](Index first, Index size) {
      compute_raw(features + first * num_features(), size,
                  raw + first * num_classes());
    });
  }

  /// Computes the outputs of the last layer, before the softmax.
  ///
  /// \param features     not yet scaled   [num_features x num_instances]
  /// \param num_threads  an upper limit: small inputs use one thread. The
  ///                     result does not depend on it.
  /// \return [num_classes x num_instances]
  /// \throws ShapeError if features has a wrong number of rows
  [[nodiscard]] Matrix predict_raw(const ConstMatrixRef& features,
                                   int num_threads = 1) const {
    check_rows(features);
    Matrix raw(num_classes(), features.cols());
    for_each_part(features.cols(), num_threads, [&](Index first, Index size) {
      compute_columns(features.middleCols(first, size),
                      raw.data() + first * num_classes());
    });
    return raw;
  }

  /// Computes the same for a dataset, whose features may be in a file.
  ///
  /// \return [num_classes x num_instances]
  /// \throws as above; ResourceError if the file cannot be read
  [[nodiscard]] Matrix predict_raw(const datasets::Dataset& data,
                                   int num_threads = 1) const {
    if (!data.stored) return predict_raw(data.feature_matrix(), num_threads);
    Matrix raw(num_classes(), data.num_instances());
    const Index parts = data.stored->instances_at_once() / kPartSize;
    const Index at_once = std::max<Index>(1, parts) * kPartSize;
    Matrix buffer;
    for (Index first = 0; first < raw.cols(); first += at_once) {
      const Index count = std::min(at_once, raw.cols() - first);
      raw.middleCols(first, count) =
          predict_raw(data.rows(first, count, buffer), num_threads);
    }
    return raw;
  }

  /// Computes the probability of each class.
  ///
  /// \param features  not yet scaled   [num_features x num_instances]
  /// \return [num_classes x num_instances], columns sum to 1; [0 x
  ///         num_instances] for a regressor
  /// \throws ShapeError if features has a wrong number of rows
  [[nodiscard]] Matrix predict_probability(const ConstMatrixRef& features,
                                           int num_threads = 1) const {
    check_rows(features);
    if (is_regressor_) return Matrix(0, features.cols());
    Matrix result(num_classes(), features.cols());
    for_each_part(features.cols(), num_threads, [&](Index first, Index size) {
      compute_columns(features.middleCols(first, size),
                      result.data() + first * num_classes());
      for (Index j = first; j < first + size; ++j) softmax(result.col(j));
    });
    return result;
  }

  /// Predicts the class of each instance, or the number for a regressor.
  ///
  /// Thresholds are applied.
  ///
  /// \param features  not yet scaled   [num_features x num_instances]
  /// \return class indices, or numbers   [num_instances]
  /// \throws ShapeError if features has a wrong number of rows; ParamError for a
  ///         regressor that predicts several numbers
  [[nodiscard]] Vector predict(const ConstMatrixRef& features,
                               int num_threads = 1) const {
    check_rows(features);
    if (is_regressor_) detail::require_one_number(num_classes());
    Vector prediction(features.cols());
    for_each_part(features.cols(), num_threads, [&](Index first, Index size) {
      Matrix raw(num_classes(), size);
      compute_columns(features.middleCols(first, size), raw.data());
      for (Index j = 0; j < size; ++j) {
        prediction[first + j] =
            is_regressor_ ? raw(0, j)
                          : static_cast<double>(choose_class(raw.col(j)));
      }
    });
    return prediction;
  }

  /// Returns the number of threads that are worth their start: at least 1, at
  /// most num_threads.
  [[nodiscard]] int useful_threads(Index num_instances, int num_threads) const {
    const Index num_parts = (num_instances + kPartSize - 1) / kPartSize;
    const double worth = static_cast<double>(num_instances) *
                         static_cast<double>(num_weights_) / kWorkPerThread;
    const double most = std::min({worth, static_cast<double>(num_parts),
                                  static_cast<double>(num_threads)});
    return std::max(static_cast<int>(most), 1);
  }

 private:
  /// Multiply-adds per thread. They take a fraction of a millisecond; starting
  /// a thread costs tens of microseconds.
  static constexpr double kWorkPerThread = 4e6;

  /// Rows of up to this many numbers are stored on the stack.
  static constexpr Index kOnStack = 256;

  /// Uninitialised memory for one row: on the stack if the row is small.
  template <typename Number>
  class Memory {
   public:
    explicit Memory(Index size) : data_(on_stack_) {
      if (size <= kOnStack) return;
      on_heap_ = std::make_unique<Number[]>(static_cast<std::size_t>(size));
      data_ = on_heap_.get();
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    [[nodiscard]] Number* data() { return data_; }

   private:
    Number on_stack_[kOnStack];
    std::unique_ptr<Number[]> on_heap_;
    Number* data_;
  };

  void check_rows(const ConstMatrixRef& features) const {
    if (features.rows() == num_features()) return;
    throw ShapeError("instances must have " + std::to_string(num_features()) +
                     " features for layers " + format_list(layers_) +
                     (encoder_ ? " and their numeric encoding" : "") +
                     "; got " + std::to_string(features.rows()));
  }

  /// \param      features  not yet scaled   [num_features x size]
  /// \param[out] raw       [num_classes x size]
  template <typename Number, typename Output>
  void compute_raw(const Number* features, Index size, Output* raw) const {
    if (means_.size() == 0 && !encoder_) {
      plan_->compute_raw(features, size, raw);
    } else {
      compute_prepared(features, size, raw);
    }
  }

  /// Encodes and scales in double precision for every Number, because training does.
  template <typename Number, typename Output>
  void compute_prepared(const Number* features, Index size, Output* raw) const {
    const Index num_inputs = layers_.front();
    Memory<double> inputs(num_inputs * size);
    for (Index i = 0; i < size; ++i) {
      const Number* const row = features + i * num_features();
      double* const input = inputs.data() + i * num_inputs;
      if (encoder_) encoder_->encode(row, 1, input);
      if (means_.size() != 0) scale(row, input);
    }
    if constexpr (std::is_same_v<Output, double>) {
      plan_->compute_raw(inputs.data(), size, raw);
    } else {
      Memory<double> wide(num_classes() * size);
      plan_->compute_raw(inputs.data(), size, wide.data());
      for (Index i = 0; i < num_classes() * size; ++i) {
        raw[i] = static_cast<Output>(wide.data()[i]);
      }
    }
  }

  /// \param      features  of one row   [num_features]
  /// \param[out] scaled    [num_features]
  template <typename Number>
  void scale(const Number* features, double* scaled) const {
    for (Index f = 0; f < means_.size(); ++f) {
      const double feature = static_cast<double>(features[f]);
      scaled[f] = (feature - means_[f]) * factors_[f];
    }
  }

  /// Computes columns that need not be contiguous.
  void compute_columns(const ConstMatrixRef& features, double* raw) const {
    if (features.cols() == 0 || features.outerStride() == features.rows()) {
      compute_raw(features.data(), features.cols(), raw);
    } else {
      const Matrix copy = features;
      compute_raw(copy.data(), copy.cols(), raw);
    }
  }

  /// Chooses a class by the largest output or by thresholds. With thresholds, z
  /// becomes probabilities.
  [[nodiscard]] Index choose_class(Eigen::Ref<Vector> z) const {
    if (thresholds_.empty()) return argmax(z);
    softmax(z);
    return argmax_by_thresholds(z, thresholds_);
  }

  /// Calls change with the num_classes numbers in double precision.
  template <typename Number, typename Change>
  void with_doubles(Number* numbers, const Change& change) const {
    if constexpr (std::is_same_v<Number, double>) {
      change(Eigen::Map<Vector>(numbers, num_classes()));
    } else {
      Memory<double> wide(num_classes());
      std::copy_n(numbers, num_classes(), wide.data());
      change(Eigen::Map<Vector>(wide.data(), num_classes()));
      for (Index i = 0; i < num_classes(); ++i) {
        numbers[i] = static_cast<Number>(wide.data()[i]);
      }
    }
  }

  /// Calls work(first, size) for parts that cover all instances. The number of
  /// threads depends on the amount of work.
  template <typename Work>
  void for_each_part(Index num_instances, int num_threads,
                     const Work& work) const {
    const Index num_parts = (num_instances + kPartSize - 1) / kPartSize;
    ThreadPool pool(useful_threads(num_instances, num_threads));
    pool.parallel_for(num_parts, [&](Index part, int) {
      const Index first = part * kPartSize;
      work(first, std::min(kPartSize, num_instances - first));
    });
  }

  std::vector<Index> layers_;
  Index num_weights_;
  std::vector<double> thresholds_;
  bool is_regressor_;
  std::optional<datasets::QuantileEncoder> encoder_;
  Vector means_;    ///< of the scaler   [num_features], or empty
  Vector factors_;  ///< of the scaler   [num_features], or empty
  std::unique_ptr<const ScoringPlan> plan_;
};

}  // namespace mlp
