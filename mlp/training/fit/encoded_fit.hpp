// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/quantile_encoder.hpp"
#include "../../../datasets/standard_scaler.hpp"
#include "../../instances/instance_weights.hpp"
#include "../../instances/training_instances.hpp"
#include "../../model/model.hpp"
#include "../../params/numeric_encoding.hpp"
#include "../../params/params.hpp"
#include "../../result/fit_warning.hpp"
#include "../fit_options.hpp"
#include "../training_warnings.hpp"
#include "standardized_fit.hpp"

namespace mlp {

/// Refuses an encoding of numbers that a training cannot have.
///
/// \param warm_start  the model that training starts from; may be null
/// \param num_ranks   of the training
/// \throws ParamError for quantiles on several ranks, which are not merged over them;
///         or if the model has another encoding, to which its weights belong
inline void check_numeric_encoding(const Params& params,
                                   const Model* warm_start, int num_ranks) {
  const NumericEncoding& encoding = params.numeric_encoding;
  if (encoding.is_quantile() && num_ranks > 1) {
    throw ParamError(
        "numericEncoding",
        "must be linear on several ranks, because quantiles are not merged "
        "over ranks; got " +
            format_numeric_encoding(encoding) + " on " +
            std::to_string(num_ranks) + " ranks; train in one process");
  }
  if (warm_start == nullptr) return;
  const auto& encoder = warm_start->encoder();
  const NumericEncoding known{encoder ? encoder->num_bins() : 0};
  if (known == encoding) return;
  // The features may be encoded already. Other sizes are refused for themselves.
  const Index num_inputs = params.layers.empty() ? 0 : params.layers.front();
  if (!encoding.is_quantile() &&
      (num_inputs == warm_start->layers().front() ||
       (num_inputs != 0 && num_inputs != warm_start->num_features()))) {
    return;
  }
  throw ParamError("numericEncoding",
                   "must be " + format_numeric_encoding(known) +
                       ", as in the model that training starts from; got " +
                       format_numeric_encoding(encoding));
}

/// Finds the encoding of the instances to train on, or takes it from the model that
/// training starts from.
///
/// \param params      with quantiles
/// \param warm_start  may be null; its encoding is that of params
/// \throws ShapeError, DataError for weights that are refused; as
///         QuantileEncoder::fit()
[[nodiscard]] inline datasets::QuantileEncoder fit_encoder(
    const datasets::Dataset& data, const Params& params,
    const Model* warm_start) {
  if (warm_start != nullptr && warm_start->encoder()) {
    return *warm_start->encoder();
  }
  check_instance_weights(data);
  return datasets::QuantileEncoder::fit(data, params.numeric_encoding.num_bins);
}

/// Returns the hyper-parameters of a training on encoded features: layers begin with the
/// number of their values.
[[nodiscard]] inline Params encoded_params(
    Params params, const datasets::QuantileEncoder& encoder) {
  params.layers.front() = encoder.num_values();
  params.numeric_encoding = {};
  return params;
}

/// The data and options of a fit with quantiles; it runs as one without them.
///
/// Features in memory are copied, so that the caller's stay as they are.
struct EncodedFit {
  std::optional<datasets::QuantileEncoder>
      encoder;                                     ///< for the model; not null
  std::optional<datasets::StandardScaler> scaler;  ///< for the model
  Params params;
  std::optional<TrainingInstances> data;  ///< not null
  std::optional<datasets::Dataset> validation;
  FitOptions options;  ///< refers to validation

  /// Of the features, if nothing scales them.
  std::optional<FitWarning> scale_warning;

  /// \param plain         with rows
  /// \param given_params  with quantiles; the number of features is layers.front()
  /// \throws ShapeError if the instances have another number of features; as
  ///         fit_encoder()
  EncodedFit(TrainingInstances& plain, const Params& given_params,
             const FitOptions& given)
      : options(given) {
    if (FeatureStore* const store = plain.store()) store->restore_rows();
    datasets::Dataset encoded = plain.data();
    check_width(encoded, given_params);
    encoder = fit_encoder(encoded, given_params, given.warm_start);
    params = encoded_params(given_params, *encoder);
    if (given.is_standardizing) {
      scaler = find_scaler(encoded, given);
      options.label_scale = find_label_scale(encoded, given, params.task);
    } else if (!given.has_final_scale) {
      scale_warning = warn_of_scale(encoded);
    }
    options.is_standardizing = false;
    options.has_final_scale = true;
    encode(encoded);
    data.emplace(std::move(encoded));
    if (given.validation == nullptr) return;
    validation = *given.validation;
    check_width(*validation, given_params);
    encode(*validation);
    options.validation = &*validation;
  }

  EncodedFit(const EncodedFit&) = delete;
  EncodedFit& operator=(const EncodedFit&) = delete;

 private:
  /// The bins are those of the features as they are.
  void encode(datasets::Dataset& instances) const {
    encoder->encode(instances);
    if (!scaler) return;
    scaler->apply(instances, encoder->num_features());
  }

  static void check_width(const datasets::Dataset& instances,
                          const Params& params) {
    const Index width = instances.num_features();
    if (width == params.layers.front()) return;
    throw ShapeError("instances must have " +
                     std::to_string(params.layers.front()) +
                     " features for layers " + format_list(params.layers) +
                     "; got " + std::to_string(width));
  }
};

}  // namespace mlp
