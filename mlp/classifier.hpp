// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "../datasets/dataset.hpp"
#include "../optim/summary.hpp"
#include "model/metrics.hpp"
#include "model/model.hpp"
#include "model/scorer.hpp"
#include "params/param_rules.hpp"
#include "params/params.hpp"
#include "training/fit_options.hpp"
#include "training/train.hpp"

namespace mlp {

/// A trained model and what the training did.
struct FitResult {
  Model model;
  optim::Summary summary;
};

/// Spark ML's MultilayerPerceptronClassifier: the same initial weights bit for
/// bit, the same path, the same stop; and with the hyper-parameters that Spark
/// lacks, the network of the textbooks.
///
/// It differs from Spark where Spark trains on garbage: instances of another
/// width than layers[0] are refused.
///
/// \source Spark ml/classification/MultilayerPerceptronClassifier.scala
class Classifier {
 public:
  /// \throws ParamError naming the parameter, what it must be and its value
  explicit Classifier(Params params) : params_(std::move(params)) {
    validate(params_);
    if (params_.task != Task::kClassification) {
      throw ParamError(
          "task must be classification for a Classifier; got regression; use "
          "a Regressor");
    }
  }

  [[nodiscard]] const Params& params() const { return params_; }

  /// Trains a model.
  ///
  /// \param data  features [num_features x num_instances], finite; labels
  ///              [num_instances], integers 0 .. num_classes - 1
  /// \return the model at the last accepted weights, or with a validation set at
  ///         the best ones; not converging is no error
  /// \throws DataError for no instances, a label that is no class or a feature
  ///         that is not finite; ShapeError for a wrong number of features,
  ///         labels or partition sizes; ModelError for a state to go on from
  ///         that is of another training
  [[nodiscard]] FitResult fit(const datasets::Dataset& data,
                              const FitOptions& options = {}) const {
    const Topology topology = topology_of(params_);
    TrainedWeights trained = train(topology, params_, data, options);
    Model model(topology, std::move(trained.weights), params_.thresholds);
    model.set_statistics(std::move(trained.statistics));
    return {std::move(model), std::move(trained.summary)};
  }

 private:
  Params params_;
};

/// Scores labelled data and computes Spark's summary metrics.
///
/// \param data  labels [num_instances], class indices
/// \throws ShapeError where data have another number of features or labels
[[nodiscard]] inline Metrics evaluate(
    const Model& model, const datasets::Dataset& data,
    const Backend& backend = reference_backend(), int num_threads = 1) {
  const Scorer scorer(model, backend);
  return Metrics(data.labels, scorer.predict(data.features, num_threads));
}

}  // namespace mlp
