// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/quantile_encoder.hpp"
#include "../../datasets/reading/known_columns.hpp"
#include "../../datasets/standard_scaler.hpp"
#include "../backend/backend.hpp"
#include "../backend/reference_backend.hpp"
#include "../network/batch_norm.hpp"
#include "../network/loss_formulas.hpp"
#include "../network/topology.hpp"
#include "prediction.hpp"
#include "prediction_region.hpp"
#include "scorer.hpp"

namespace mlp {

/// A trained network that predicts; it holds nothing of the training.
///
/// Each call prepares a Scorer. For many calls, make one Scorer and keep it.
///
/// Thread safety: all const members may run at the same time.
class Model {
 public:
  /// \param weights     [topology.num_weights()]
  /// \param thresholds  [num_classes], or empty
  /// \throws ShapeError for a wrong number of weights or thresholds
  Model(Topology topology, Vector weights, std::vector<double> thresholds = {})
      : topology_(std::move(topology)),
        weights_(std::move(weights)),
        statistics_(BatchNorm::initial_statistics(topology_)) {
    check_count("weights", topology_.num_weights(), weights_.size());
    set_thresholds(std::move(thresholds));
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const std::vector<Index>& layers() const {
    return topology_.layers();
  }

  /// Returns the number of features of an instance. The encoder makes the inputs of
  /// the network of them, which are layers().front().
  [[nodiscard]] Index num_features() const {
    return encoder_ ? encoder_->num_features() : topology_.num_features();
  }
  [[nodiscard]] Index num_classes() const { return topology_.num_classes(); }

  /// Returns true for a regressor: the raw prediction is the predicted number,
  /// and there are no classes.
  [[nodiscard]] bool is_regressor() const {
    return topology_.loss() == Loss::kSquaredError;
  }

  /// Returns the weights in Spark's flat order   [num_weights]
  [[nodiscard]] const Vector& weights() const { return weights_; }

  /// Returns the running means and variances of batch normalisation
  /// [num_statistics]
  [[nodiscard]] const Vector& statistics() const { return statistics_; }

  /// Returns the thresholds   [num_classes], or empty
  [[nodiscard]] const std::vector<double>& thresholds() const {
    return thresholds_;
  }

  /// Returns the names of the features   [num_features], or empty
  [[nodiscard]] const std::vector<std::string>& feature_names() const {
    return feature_names_;
  }

  /// Returns the label column of the training, as datasets::label_text() writes it;
  /// empty if it is not known.
  [[nodiscard]] const std::string& label_column() const {
    return label_column_;
  }

  /// Returns the label column of the training, to find it in other files.
  [[nodiscard]] datasets::KnownLabel known_label() const {
    return datasets::parse_known_label(label_column_, !feature_names_.empty());
  }

  /// Finds the features among the columns of a table, by their names.
  ///
  /// \param names  of the columns of the table
  /// \return 0-based indices   [num_features]
  /// \throws ParamError if the features have no names; DataError if one is missing
  ///         or ambiguous
  [[nodiscard]] std::vector<Index> find_features(
      const std::vector<std::string>& names) const {
    if (!feature_names_.empty()) {
      return datasets::ColumnMatch(names).find(feature_names_);
    }
    throw ParamError("model",
                     "must have names of its features; got a model without "
                     "them, which takes columns in their order");
  }

  /// Returns the columns of a data file that become the features, if some of them
  /// are categories or may be missing; otherwise empty. The features of
  /// predict() are those after the encoding: datasets::encode() makes them.
  [[nodiscard]] const std::vector<datasets::InputColumn>& input_columns()
      const {
    return input_columns_;
  }

  /// Returns how fields of a data file are read: what happens to an unknown
  /// category, and which texts mean a missing value.
  [[nodiscard]] const datasets::InputRules& input_rules() const {
    return input_rules_;
  }

  /// Returns the names of the classes. There may be fewer names than classes; a
  /// class without a name is called by its index.
  [[nodiscard]] const std::vector<std::string>& label_names() const {
    return label_names_;
  }

  /// Returns the encoding of numbers: the network reads the features, which the scaler
  /// may scale, and behind them the bins of the features as they are.
  [[nodiscard]] const std::optional<datasets::QuantileEncoder>& encoder()
      const {
    return encoder_;
  }

  /// Returns the scaling applied to the features before the first layer.
  [[nodiscard]] const std::optional<datasets::StandardScaler>& scaler() const {
    return scaler_;
  }

  /// Returns the prediction intervals of a regressor, if it has any.
  [[nodiscard]] const std::optional<PredictionInterval>& prediction_interval()
      const {
    return interval_;
  }

  /// Returns the prediction sets of a classifier, if it has any.
  [[nodiscard]] const std::optional<PredictionSet>& prediction_set() const {
    return set_;
  }

  /// \throws ShapeError unless the thresholds are empty or one per class
  void set_thresholds(std::vector<double> thresholds) {
    if (!thresholds.empty()) {
      check_count("thresholds", num_classes(),
                  static_cast<Index>(thresholds.size()));
    }
    thresholds_ = std::move(thresholds);
  }

  /// \throws ShapeError for a wrong number of statistics
  void set_statistics(Vector statistics) {
    check_count("statistics", topology_.num_statistics(), statistics.size());
    statistics_ = std::move(statistics);
  }

  /// \throws ShapeError unless the names are empty or one per feature
  void set_feature_names(std::vector<std::string> names) {
    if (!names.empty()) {
      check_count("feature names", num_features(),
                  static_cast<Index>(names.size()));
    }
    feature_names_ = std::move(names);
  }

  void set_label_column(std::string name) { label_column_ = std::move(name); }

  /// \throws ShapeError unless the columns are empty or become num_features()
  ///         features
  void set_input_columns(std::vector<datasets::InputColumn> columns) {
    if (!columns.empty()) {
      check_count("features of the input columns", num_features(),
                  datasets::count_features(columns));
    }
    input_columns_ = std::move(columns);
  }

  void set_input_rules(datasets::InputRules rules) {
    input_rules_ = std::move(rules);
  }

  /// \throws ShapeError if there are more names than classes
  void set_label_names(std::vector<std::string> names) {
    if (static_cast<Index>(names.size()) > num_classes()) {
      throw ShapeError("label names must be at most " +
                       std::to_string(num_classes()) + " for layers " +
                       format_list(layers()) + "; got " +
                       std::to_string(names.size()));
    }
    label_names_ = std::move(names);
  }

  /// Sets the encoding of numbers, from which num_features() follows: call it before
  /// the features get a scaler, names or columns.
  ///
  /// \throws ShapeError unless it makes one value for each input of the network, of
  ///         as many features as have a scaler, names or columns
  void set_encoder(datasets::QuantileEncoder encoder) {
    check_count("values of the numeric encoding", topology_.num_features(),
                encoder.num_values());
    const bool is_first =
        !scaler_ && feature_names_.empty() && input_columns_.empty();
    if (!is_first) {
      check_count("features of the numeric encoding", num_features(),
                  encoder.num_features());
    }
    encoder_ = std::move(encoder);
  }

  /// \throws ShapeError unless the scaler has one mean and one deviation per
  ///         feature
  void set_scaler(datasets::StandardScaler scaler) {
    check_count("scaler means", num_features(), scaler.mean.size());
    check_count("scaler deviations", num_features(),
                scaler.standard_deviation.size());
    scaler_ = std::move(scaler);
  }

  /// \throws ShapeError unless there are numbers for each output of a regressor
  void set_prediction_interval(PredictionInterval interval) {
    check_count("numbers of a prediction interval",
                is_regressor() ? num_classes() : 0, interval.lower.size());
    check_count("numbers of a prediction interval", interval.lower.size(),
                interval.upper.size());
    interval_ = std::move(interval);
  }

  /// \throws ShapeError for a regressor
  void set_prediction_set(const PredictionSet& set) {
    check_count("prediction sets of a regressor", 0, is_regressor() ? 1 : 0);
    set_ = set;
  }

  /// Returns a model with another network and all else of this one, but without
  /// intervals and sets, which follow from what a network predicts.
  ///
  /// \param weights  [topology.num_weights()]
  /// \throws ShapeError for a wrong number of weights, or other numbers of features
  ///         or outputs than this model has
  [[nodiscard]] Model with_network(Topology topology, Vector weights) const {
    check_count("features", num_features(), topology.num_features());
    check_count("outputs", num_classes(), topology.num_classes());
    check_count("weights", topology.num_weights(), weights.size());
    Model model = *this;
    model.statistics_ = BatchNorm::initial_statistics(topology);
    model.topology_ = std::move(topology);
    model.weights_ = std::move(weights);
    model.interval_.reset();
    model.set_.reset();
    return model;
  }

  /// Returns the name of a class, or its index if it has no name.
  [[nodiscard]] std::string class_name(Index index) const {
    const auto at = static_cast<std::size_t>(index);
    return at < label_names_.size() ? label_names_[at] : std::to_string(index);
  }

  /// Computes the outputs of the last layer, before the softmax.
  ///
  /// \param features  [num_features x num_instances], not yet scaled
  /// \return [num_classes x num_instances]
  /// \throws ShapeError if features has a wrong number of rows
  [[nodiscard]] Matrix predict_raw(
      const ConstMatrixRef& features,
      const Backend& backend = reference_backend()) const {
    return Scorer(*this, backend).predict_raw(features);
  }

  /// Computes the probability of each class.
  ///
  /// \param features  [num_features x num_instances]
  /// \return [num_classes x num_instances], columns sum to 1; [0 x
  ///         num_instances] for a regressor
  /// \throws ShapeError if features has a wrong number of rows
  [[nodiscard]] Matrix predict_probability(
      const ConstMatrixRef& features,
      const Backend& backend = reference_backend()) const {
    return Scorer(*this, backend).predict_probability(features);
  }

  /// Predicts the class of each instance, or the number for a regressor.
  ///
  /// Thresholds are always applied. Spark ignores them when it predicts a
  /// single row.
  ///
  /// \param features  [num_features x num_instances]
  /// \return class indices, or numbers   [num_instances]
  /// \throws ShapeError if features has a wrong number of rows
  [[nodiscard]] Vector predict(
      const ConstMatrixRef& features,
      const Backend& backend = reference_backend()) const {
    return Scorer(*this, backend).predict(features);
  }

  /// Computes the output of a hidden layer: the features that the network has
  /// learned. All parts of the layer are applied.
  ///
  /// \param layer  1 for the first hidden layer .. layers().size() - 2
  /// \return [layers()[layer] x num_instances]
  /// \throws ParamError if the layer is not hidden; ShapeError if features has
  ///         a wrong number of rows
  [[nodiscard]] Matrix hidden_output(
      const ConstMatrixRef& features, Index layer,
      const Backend& backend = reference_backend()) const {
    const Index num_hidden = topology_.num_layers() - 1;
    if (num_hidden == 0) {
      throw ParamError("layers", format_list(layers()) +
                                     " have no hidden layer; got layer " +
                                     std::to_string(layer));
    }
    if (layer < 1 || layer > num_hidden) {
      throw ParamError("layer", "must be a hidden one, 1 to " +
                                    std::to_string(num_hidden) +
                                    " for layers " + format_list(layers()) +
                                    "; got " + std::to_string(layer));
    }
    return compute_output(features, layer - 1, backend);
  }

  /// Turns raw predictions into probabilities.
  ///
  /// \param raw  [num_classes x num_instances]
  /// \return [num_classes x num_instances]; [0 x num_instances] for a regressor
  [[nodiscard]] Matrix to_probability(Matrix raw) const {
    if (is_regressor()) return Matrix(0, raw.cols());
    for (Index j = 0; j < raw.cols(); ++j) softmax(raw.col(j));
    return raw;
  }

  /// Turns raw predictions into class indices, as Spark's transform does.
  ///
  /// The class is chosen by the thresholds if there are any, else by the
  /// largest raw prediction. For a regressor the result is the predicted
  /// number.
  ///
  /// \param raw  [num_classes x num_instances]
  /// \return [num_instances]
  /// \throws ParamError for a regressor that predicts several numbers
  [[nodiscard]] Vector to_prediction(const Matrix& raw) const {
    if (is_regressor()) {
      detail::require_one_number(num_classes());
      return raw.row(0);
    }
    Vector prediction(raw.cols());
    if (thresholds_.empty()) {
      for (Index j = 0; j < raw.cols(); ++j) {
        prediction[j] = static_cast<double>(argmax(raw.col(j)));
      }
      return prediction;
    }
    const Matrix probability = to_probability(raw);
    for (Index j = 0; j < raw.cols(); ++j) {
      prediction[j] = static_cast<double>(
          argmax_by_thresholds(probability.col(j), thresholds_));
    }
    return prediction;
  }

 private:
  static void check_count(const char* what, Index expected, Index received) {
    if (expected != received) {
      throw ShapeError(std::string(what) + " must be " +
                       std::to_string(expected) + "; got " +
                       std::to_string(received));
    }
  }

  [[nodiscard]] Matrix compute_output(const ConstMatrixRef& features, Index k,
                                      const Backend& backend) const {
    if (features.rows() != num_features()) {
      throw ShapeError("instances must have " + std::to_string(num_features()) +
                       " features for layers " + format_list(layers()) +
                       (encoder_ ? " and their numeric encoding" : "") +
                       "; got " + std::to_string(features.rows()));
    }
    // Features that are not contiguous or not yet prepared are copied.
    Matrix copy;
    if (encoder_) {
      copy = encoder_->encode(features);
    } else if (scaler_ || features.outerStride() != features.rows()) {
      copy = features;
    }
    if (scaler_) scaler_->apply(copy.topRows(num_features()));
    Matrix output(topology_.output_size(k), features.cols());
    const ScoringNetwork network =
        fold_for_scoring(topology_, weights_, statistics_);
    const auto plan = backend.make_plan(
        network.topology, network.weights.data(), Precision::kFloat64);
    plan->compute_layer(copy.size() != 0 ? copy.data() : features.data(),
                        features.cols(), k, output.data());
    return output;
  }

  Topology topology_;
  Vector weights_;
  Vector statistics_;
  std::vector<double> thresholds_;
  std::vector<std::string> feature_names_;
  std::string label_column_;
  std::vector<datasets::InputColumn> input_columns_;
  datasets::InputRules input_rules_;
  std::vector<std::string> label_names_;
  std::optional<datasets::QuantileEncoder> encoder_;
  std::optional<datasets::StandardScaler> scaler_;
  std::optional<PredictionInterval> interval_;
  std::optional<PredictionSet> set_;
};

inline Scorer::Scorer(const Model& model, const Backend& backend,
                      Precision precision)
    : layers_(model.layers()),
      num_weights_(model.topology().num_weights()),
      thresholds_(model.thresholds()),
      is_regressor_(model.is_regressor()),
      encoder_(model.encoder()) {
  const ScoringNetwork network =
      fold_for_scoring(model.topology(), model.weights(), model.statistics());
  plan_ =
      backend.make_plan(network.topology, network.weights.data(), precision);
  if (!model.scaler()) return;
  means_ = model.scaler()->mean;
  factors_ = model.scaler()->factors();
}

}  // namespace mlp
