// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Trains a classifier as Spark ML does and evaluates it on labelled data.

#include <utility>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "../datasets/dataset.hpp"
#include "instances/training_instances.hpp"
#include "model/metrics.hpp"
#include "model/model.hpp"
#include "model/scorer.hpp"
#include "params/param_rules.hpp"
#include "params/params.hpp"
#include "result/diverged_error.hpp"
#include "result/fit_result.hpp"
#include "training/fit/fit_model.hpp"
#include "training/fit_options.hpp"

namespace mlp {

/// Spark ML's MultilayerPerceptronClassifier.
///
/// The initial weights are equal to Spark's to the last bit, and the training
/// takes the same steps and stops at the same iteration. Hyper-parameters that
/// Spark does not have extend the network.
///
/// One difference: instances must have layers[0] features. Spark does not check
/// this and trains on wrong numbers.
///
/// \source Spark ml/classification/MultilayerPerceptronClassifier.scala
class Classifier {
 public:
  /// \throws ParamError naming the parameter, its valid values and its value
  explicit Classifier(Params params) : params_(std::move(params)) {
    validate(params_);
    if (params_.task != Task::kClassification) {
      throw ParamError(
          "task",
          "must be classification for a Classifier; got regression; use "
          "a Regressor");
    }
  }

  [[nodiscard]] const Params& params() const { return params_; }

  /// Trains a model.
  ///
  /// \param data  features [num_features x num_instances], finite; labels
  ///              [num_instances], integers 0 .. num_classes - 1
  /// \return the model at the last accepted weights, or at the best weights if
  ///         there is a validation set; not converging is not an error
  /// \throws DataError if there are no instances, a label is not a class index
  ///         or a feature is not finite; ShapeError for a wrong number of
  ///         features, labels or partition sizes; ModelError if the state to
  ///         resume from belongs to another training; DivergedError if the last
  ///         objective or a weight is not finite
  [[nodiscard]] FitResult fit(const datasets::Dataset& data,
                              const FitOptions& options = {}) const {
    return fit_model(params_, data, options);
  }

  /// Trains a model on instances whose features may be packed, which halves the
  /// memory if the fit owns them.
  [[nodiscard]] FitResult fit(TrainingInstances& instances,
                              const FitOptions& options = {}) const {
    return fit_model(params_, instances, options);
  }

 private:
  Params params_;
};

/// Predicts labelled data and computes Spark's summary metrics.
///
/// \param data  labels [num_instances], class indices
/// \throws ShapeError if data has a wrong number of features or labels
[[nodiscard]] inline Metrics evaluate(
    const Model& model, const datasets::Dataset& data,
    const Backend& backend = reference_backend(), int num_threads = 1) {
  const Scorer scorer(model, backend);
  Vector predictions(data.num_instances());
  data.visit_features([&](Index first, const auto& features) {
    predictions.segment(first, features.cols()) =
        scorer.predict(features, num_threads);
  });
  return Metrics(data.labels, predictions);
}

}  // namespace mlp
