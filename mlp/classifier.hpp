// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "../datasets/dataset.hpp"
#include "../optim/gradient_descent.hpp"
#include "../optim/iteration_callback.hpp"
#include "../optim/lbfgs.hpp"
#include "../optim/summary.hpp"
#include "backend.hpp"
#include "block_weights.hpp"
#include "initial_weights.hpp"
#include "metrics.hpp"
#include "model.hpp"
#include "param_table.hpp"
#include "params.hpp"
#include "precision.hpp"
#include "reference_backend.hpp"
#include "scorer.hpp"
#include "topology.hpp"
#include "training_objective.hpp"

namespace mlp {

/// How a fit runs. Nothing here changes its result, but for the rounding of
/// another backend.
struct FitOptions {
  const Backend* backend = &reference_backend();

  /// What the backend evaluates in. float32 halves the time and leaves Spark's
  /// path after a few iterations.
  Precision precision = Precision::kFloat64;

  int num_threads = 1;
  optim::IterationCallback on_iteration;

  /// Where it turns true, also from a signal handler or another thread, the fit
  /// returns the last accepted weights. May be null.
  const std::atomic<bool>* is_stopping = nullptr;
};

/// A trained model and what the training did.
struct FitResult {
  Model model;
  optim::Summary summary;
};

namespace detail {

[[noreturn]] inline void refuse_instance(const datasets::Dataset& data,
                                         Index instance,
                                         const std::string& sentence) {
  const auto at = static_cast<std::size_t>(instance);
  if (at < data.lines.size()) {
    throw DataError(data.source, {static_cast<std::size_t>(data.lines[at]), 0},
                    sentence);
  }
  if (data.source.empty()) throw DataError(sentence);
  throw DataError(data.source, sentence);
}

/// \param rule  what labels must be
[[noreturn]] inline void refuse_label(const datasets::Dataset& data,
                                      Index instance, const std::string& rule) {
  const std::string sentence = "labels must be " + rule + "; instance " +
                               std::to_string(instance) + " has label " +
                               format_double(data.labels[instance]);
  if (data.label_source.empty()) refuse_instance(data, instance, sentence);
  throw DataError(data.label_source, sentence);
}

/// Turns labels into class indices.
///
/// \return [num_instances], each in 0 .. num_classes - 1
/// \throws DataError naming the first instance whose label is none of them
inline std::vector<std::int32_t> check_labels(const datasets::Dataset& data,
                                              const Topology& topology) {
  const Index num_classes = topology.num_classes();
  std::vector<std::int32_t> labels;
  labels.reserve(static_cast<std::size_t>(data.labels.size()));
  for (Index i = 0; i < data.labels.size(); ++i) {
    const double label = data.labels[i];
    const bool is_class = label >= 0.0 &&
                          label < static_cast<double>(num_classes) &&
                          label == std::floor(label);
    if (!is_class) {
      refuse_label(data, i,
                   "the integers 0.." + std::to_string(num_classes - 1) +
                       " for layers " + format_list(topology.layers()));
    }
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

inline void check_features(const datasets::Dataset& data) {
  if (data.features.allFinite()) return;
  for (Index i = 0; i < data.num_instances(); ++i) {
    for (Index j = 0; j < data.num_features(); ++j) {
      if (!std::isfinite(data.features(j, i))) {
        refuse_instance(data, i,
                        "features must be finite; feature " +
                            std::to_string(j) + " of instance " +
                            std::to_string(i) + " is " +
                            format_double(data.features(j, i)));
      }
    }
  }
}

/// Checks what Spark leaves to chance: the width of the features.
inline void check_shapes(const datasets::Dataset& data,
                         const Topology& topology) {
  if (data.num_instances() == 0) {
    throw DataError("training needs at least 1 instance; got 0");
  }
  if (data.num_features() != topology.num_features()) {
    throw ShapeError("instances must have " +
                     std::to_string(topology.num_features()) +
                     " features for layers " + format_list(topology.layers()) +
                     "; got " + std::to_string(data.num_features()));
  }
  if (data.labels.size() != data.num_instances()) {
    throw ShapeError("labels must be " + std::to_string(data.num_instances()) +
                     ", one per instance; got " +
                     std::to_string(data.labels.size()));
  }
}

/// Returns the instances per partition: all in one where none are given.
inline std::vector<Index> check_partitions(const datasets::Dataset& data) {
  if (data.partition_sizes.empty()) return {data.num_instances()};
  Index sum = 0;
  bool is_valid = true;
  for (const Index size : data.partition_sizes) {
    is_valid = is_valid && size >= 0 && size <= data.num_instances() - sum;
    if (is_valid) sum += size;
  }
  if (!is_valid || sum != data.num_instances()) {
    throw ShapeError("partition sizes must be >= 0 and sum to the " +
                     std::to_string(data.num_instances()) + " instances; got " +
                     format_list(data.partition_sizes));
  }
  return data.partition_sizes;
}

}  // namespace detail

/// Spark ML's MultilayerPerceptronClassifier: the same initial weights bit for
/// bit, the same path, the same stop.
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
  }

  [[nodiscard]] const Params& params() const { return params_; }

  /// Trains a model.
  ///
  /// \param data  features [num_features x num_instances], finite; labels
  ///              [num_instances], integers 0 .. num_classes - 1
  /// \return the model at the last accepted weights; not converging is no error
  /// \throws DataError for no instances, a label that is no class or a feature
  ///         that is not finite; ShapeError for a wrong number of features,
  ///         labels or partition sizes
  [[nodiscard]] FitResult fit(const datasets::Dataset& data,
                              const FitOptions& options = {}) const {
    const Topology topology(params_.layers);
    detail::check_shapes(data, topology);
    detail::check_features(data);
    const std::vector<std::int32_t> labels =
        detail::check_labels(data, topology);
    const Vector instance_weights =
        block_weights(detail::check_partitions(data), params_.block_size);
    InstanceRange instances;
    instances.size = data.num_instances();
    instances.features = data.features.data();
    instances.weights = instance_weights.data();
    instances.labels = labels.data();
    TrainingObjective objective(topology, *options.backend, instances,
                                options.num_threads, options.is_stopping,
                                options.precision);
    Vector weights =
        params_.initial_weights
            ? *params_.initial_weights
            : draw_initial_weights(topology, params_.seed, params_.seed_hash);
    optim::Summary summary = minimize(objective, weights, options.on_iteration);
    return {Model(topology, std::move(weights), params_.thresholds),
            std::move(summary)};
  }

 private:
  optim::Summary minimize(TrainingObjective& objective, Vector& weights,
                          const optim::IterationCallback& callback) const {
    if (params_.solver == Solver::kGradientDescent) {
      return optim::minimize_gradient_descent(
          objective, weights,
          {params_.max_iter, params_.tol, params_.step_size}, callback);
    }
    optim::LbfgsOptions options;
    options.max_iter = params_.max_iter;
    options.tol = params_.tol;
    return optim::minimize_lbfgs(objective, weights, options, callback);
  }

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
