// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "../../datasets/dataset.hpp"
#include "../instances/training_instances.hpp"
#include "../model/model.hpp"
#include "../params/numeric_encoding.hpp"
#include "../params/params.hpp"
#include "../training/fit/encoded_fit.hpp"
#include "../training/fit/standardized_fit.hpp"
#include "../training/fit_options.hpp"
#include "selection_plan.hpp"

namespace mlp {

/// The instances of a selection in one encoding of their numbers: encoded and scaled
/// once, for all trainings. The encoder and the scaler are those of all instances.
class SelectionTable {
 public:
  /// \param params    with layers, which begin with the number of features; those of
  ///                  the network are with_encoding()
  /// \param data      must outlive the table
  /// \param encoding  in place of that of params
  /// \throws as QuantileEncoder::fit() and fit_scaler()
  SelectionTable(Params params, const datasets::Dataset& data,
                 const FitOptions& options, const NumericEncoding& encoding)
      : params_(with_encoding(std::move(params), encoding)),
        options_(options),
        data_(&data) {
    TrainingInstances instances = TrainingInstances::view(data);
    if (encoding.is_quantile()) {
      encoded_ = std::make_unique<EncodedFit>(instances, params_, options);
      params_ = encoded_->params;
      options_ = encoded_->options;
      data_ = &encoded_->data->data();
    } else if (options.is_standardizing) {
      scaled_ =
          std::make_unique<StandardizedFit>(instances, options, params_.task);
      options_ = scaled_->options;
      data_ = &scaled_->data->data();
    }
  }

  /// Returns the hyper-parameters of a training on data().
  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the options of a training on data().
  [[nodiscard]] const FitOptions& options() const { return options_; }

  [[nodiscard]] const datasets::Dataset& data() const { return *data_; }

  /// Returns false if quantiles were asked for, and no feature has any.
  [[nodiscard]] bool has_own_values() const {
    return !encoded_ ||
           encoded_->encoder->num_values() > encoded_->encoder->num_features();
  }

  /// Gives a model of data() the encoder and the scaler, for data that have neither.
  void complete(Model& model) const {
    if (encoded_) model.set_encoder(*encoded_->encoder);
    const auto& scaler = encoded_  ? encoded_->scaler
                         : scaled_ ? std::optional(scaled_->scaler)
                                   : std::nullopt;
    if (scaler) model.set_scaler(*scaler);
  }

 private:
  Params params_;
  FitOptions options_;
  const datasets::Dataset* data_;
  std::unique_ptr<EncodedFit> encoded_;
  std::unique_ptr<StandardizedFit> scaled_;
};

}  // namespace mlp
