// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../backend/backend.hpp"
#include "../backend/reference_backend.hpp"
#include "../model/model.hpp"
#include "../model/self_test.hpp"
#include "../network/topology.hpp"
#include "../params/param_rules.hpp"
#include "../params/params.hpp"
#include "model_document.hpp"
#include "model_document_check.hpp"

/// The content of a model file whose network this library has not trained.
namespace mlp {

namespace detail {

/// Makes three instances, near the means if the model has a scaler.
inline Matrix instances_near_mean(const Model& model) {
  const Index size = model.num_features();
  Vector mean = Vector::Zero(size);
  Vector step = Vector::NullaryExpr(
      size, [](Index i) { return static_cast<double>(i % 3 - 1); });
  if (model.scaler()) {
    mean = model.scaler()->mean;
    step.array() *= model.scaler()->standard_deviation.array();
  }
  Matrix instances(size, 3);
  instances << mean, mean + step, mean - step;
  return instances;
}

/// Returns the features of a self-test   [num_features x num_instances]
inline Matrix instances_of(const std::vector<SelfTestInstance>& self_test,
                           Index num_features) {
  Matrix instances(num_features, static_cast<Index>(self_test.size()));
  for (std::size_t i = 0; i < self_test.size(); ++i) {
    instances.col(static_cast<Index>(i)) = self_test[i].features;
  }
  return instances;
}

}  // namespace detail

/// Completes a document whose model was put together from parts: checks it as the reader
/// of files does, and makes its self-test.
///
/// \param document  the instances of its self-test are kept, if it has any
/// \param name      of the model in messages
/// \throws ModelError naming the first part that is not valid
[[nodiscard]] inline ModelDocument assemble_document(
    ModelDocument document, const std::string& name,
    const Backend& backend = reference_backend()) {
  const Model& model = document.model;
  take_model(model, document.params);
  const Matrix instances =
      document.self_test.empty()
          ? detail::instances_near_mean(model)
          : detail::instances_of(document.self_test, model.num_features());
  document.self_test.clear();
  check_model_document(document, name);
  document.self_test =
      make_self_test(model, instances, instances.cols(), backend);
  return document;
}

/// Makes the content of a model file from weights that were trained elsewhere, such as by
/// Spark.
///
/// \param params   of the training; layers must be set
/// \param weights  in Spark's order   [num_weights]
/// \throws ParamError for hyper-parameters that validate() refuses, or an encoding of
///         numbers, which only a training can make; ShapeError for another number of
///         weights; ModelError for weights that are not finite
[[nodiscard]] inline ModelDocument document_of_weights(
    Params params, const ConstVectorRef& weights,
    const Backend& backend = reference_backend()) {
  validate(params);
  if (params.numeric_encoding.is_quantile()) {
    throw ParamError("numericEncoding",
                     "must be linear for weights without a training, which "
                     "makes the bins from the data");
  }
  Topology topology = topology_of(params);
  // Before they are copied: the size of an array of C may be wrong.
  if (weights.size() != topology.num_weights()) {
    throw ShapeError("weights must be " +
                     std::to_string(topology.num_weights()) +
                     " numbers for layers " + format_list(params.layers) +
                     "; got " + std::to_string(weights.size()));
  }
  Model model(std::move(topology), weights, params.thresholds);
  return assemble_document({std::move(model), std::move(params), {}, 0, {}, {}},
                           "model", backend);
}

}  // namespace mlp
