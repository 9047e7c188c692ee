// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../optim/summary.hpp"
#include "../backend/backend.hpp"
#include "../backend/precision.hpp"
#include "../backend/reference_backend.hpp"
#include "../model/model.hpp"
#include "../model/self_test.hpp"
#include "../params/param_rules.hpp"
#include "../params/params.hpp"
#include "../result/selection_report.hpp"

namespace mlp {

/// The encoding of the weights in a model file.
enum class WeightsEncoding {
  kDecimal,  ///< the shortest decimals that read back as the same numbers
  kBase64,   ///< little-endian float64: about 11 bytes a weight, not 20
};

/// The facts that a file states about itself. A writer does not copy them.
struct ModelFileIdentity {
  std::string producer;  ///< program and version
  std::string uid;       ///< "mlpc_" and 12 hexadecimal digits
  std::string sha256;    ///< 64 hexadecimal digits
};

/// The content of a model file: the model, how it was trained, and a self-test.
struct ModelDocument {
  Model model;

  /// The hyper-parameters of the training. Files do not store initial_weights
  /// and seed_hash; layers and thresholds are those of the model.
  Params params;

  optim::Summary summary;

  /// The number of rows that the model was trained on; 0 if it is not known.
  Index num_instances = 0;

  std::vector<SelfTestInstance> self_test;

  /// Empty members unless the document was read from a file.
  ModelFileIdentity identity;

  /// The precision in which the training evaluated the network; the weights are
  /// double.
  Precision precision = Precision::kFloat64;

  /// How folds chose the model, if they did. The summary is then that of the first of
  /// its networks. Files do not store num_multiplications; encoding and penalty are
  /// those of params.
  std::optional<SelectionReport> selection = std::nullopt;
};

/// Sets the hyper-parameters that describe a model: its network, the encoding of its
/// features, and its thresholds. As for a fit, layers begin with the number of features.
inline void take_model(const Model& model, Params& params) {
  take_network(model.topology(), params);
  params.layers.front() = model.num_features();
  params.numeric_encoding = {model.encoder() ? model.encoder()->num_bins() : 0};
  params.thresholds = model.thresholds();
}

/// Makes the content of a model file, with a self-test of the first 3
/// instances.
///
/// \param data  the training data: features [num_features x num_instances], not
///              yet scaled; labels are not read
/// \throws ShapeError if data have another number of features than the model
[[nodiscard]] inline ModelDocument make_model_document(
    Model model, Params params, optim::Summary summary,
    const datasets::Dataset& data,
    const Backend& backend = reference_backend()) {
  constexpr Index kSelfTestInstances = 3;
  constexpr Index kCandidates = 16;
  take_model(model, params);
  auto self_test = data.stored
                       ? make_self_test(model, data.first_features(kCandidates),
                                        kSelfTestInstances, backend)
                       : make_self_test(model, data.feature_matrix(),
                                        kSelfTestInstances, backend);
  return {std::move(model),     std::move(params),    std::move(summary),
          data.num_instances(), std::move(self_test), {}};
}

/// Recomputes the self-test of a document and reports the first difference.
///
/// \pre    the document was read by load_model() or made by
///         make_model_document()
[[nodiscard]] inline SelfTestReport verify_self_test(
    const ModelDocument& document,
    const Backend& backend = reference_backend()) {
  return verify_self_test(document.model, document.self_test, backend);
}

}  // namespace mlp
