// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../../mlp/network/layer_views.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

// Of some layers, computed in another order.
constexpr double kFoldTolerance = 1e-12;

using Names = std::vector<std::string>;

Vector numbers(std::vector<double> values) {
  return Eigen::Map<const Vector>(values.data(),
                                  static_cast<Index>(values.size()));
}

/// Two hidden layers with all that a layer can have: the first projects.
Topology rich_topology() {
  const HiddenLayer hidden{*Activation::find("tanh"), true, true, 0.5};
  return Topology({4, 5, 5, 3}, {}, {hidden, hidden});
}

/// A model whose running statistics are far from the initial ones.
Model rich_model() {
  const Topology topology = rich_topology();
  Model model(topology,
              Vector::LinSpaced(topology.num_weights(), -1.0, 1.0)
                  .unaryExpr([](double x) { return std::sin(9 * x); }));
  model.set_statistics(Vector::LinSpaced(topology.num_statistics(), 0.1, 3.0));
  return model;
}

/// What a hidden layer does in scoring, one after the other, unfolded.
Vector hidden_by_hand(const Model& model, Index k, const Vector& input) {
  const Topology& topology = model.topology();
  const auto layer = view_layer(topology, k, model.weights().data());
  const Index size = topology.output_size(k);
  const Index first = topology.statistic_offset(k);
  const auto mean = model.statistics().segment(first, size).array();
  const auto variance = model.statistics().segment(first + size, size).array();
  const Vector z = layer.weights * input + layer.biases;
  const Vector normalised = (z.array() - mean) /
                                (variance + BatchNorm::kEpsilon).sqrt() *
                                layer.scales.array() +
                            layer.shifts.array();
  const Vector skip =
      topology.has_projection(k) ? Vector(layer.projection * input) : input;
  return skip + normalised.array().tanh().matrix();
}

/// raw = W x + b with W = (1 2, 3 4) and b = (5, 6).
Model affine_model(std::vector<double> thresholds = {}) {
  return Model(Topology({2, 2}), numbers({1, 3, 2, 4, 5, 6}),
               std::move(thresholds));
}

Model deep_model() {
  const Topology topology({4, 5, 3, 3});
  return Model(topology, draw_initial_weights(topology, 7));
}

Matrix draw_features(Index rows, Index columns) {
  SparkRandom random(3);
  return testing::draw_matrix(random, rows, columns);
}

}  // namespace

TEST_SUITE("mlp/model/model") {
  TEST_CASE("keeps what it was made of") {
    const Model model = affine_model({0.25, 0.75});

    CHECK(model.topology() == Topology({2, 2}));
    CHECK(model.layers() == std::vector<Index>{2, 2});
    CHECK(model.num_features() == 2);
    CHECK(model.num_classes() == 2);
    CHECK(model.weights() == numbers({1, 3, 2, 4, 5, 6}));
    CHECK(model.thresholds() == std::vector<double>{0.25, 0.75});
    CHECK(model.feature_names().empty());
    CHECK(model.label_column().empty());
    CHECK(model.known_label() == datasets::KnownLabel());
    CHECK(model.label_names().empty());
    CHECK_FALSE(model.scaler().has_value());
  }

  TEST_CASE("computes raw predictions by hand") {
    Matrix features(2, 2);
    features << 1, 0,  //
        10, -1;

    const Matrix raw = affine_model().predict_raw(features);

    Matrix expected(2, 2);
    expected << 1 + 20 + 5, -2 + 5,  //
        3 + 40 + 6, -4 + 6;
    CHECK(raw == expected);
  }

  TEST_CASE("turns raw predictions into probabilities that sum to 1") {
    const Model model = deep_model();
    const Matrix features = draw_features(4, 300);

    const Matrix raw = model.predict_raw(features);
    const Matrix probability = model.predict_probability(features);

    CHECK(probability == model.to_probability(raw));
    CHECK((probability.colwise().sum().array() - 1.0).abs().maxCoeff() <
          kRounding);
    const Vector ratio = (raw.row(1) - raw.row(0)).array().exp().transpose();
    const Vector expected =
        probability.row(1).cwiseQuotient(probability.row(0)).transpose();
    CHECK((ratio - expected).cwiseAbs().maxCoeff() < 10 * kRounding);
  }

  TEST_CASE("predicts the class of the largest raw prediction") {
    const Model model = deep_model();
    const Matrix features = draw_features(4, 300);

    const Vector prediction = model.predict(features);

    const Matrix raw = model.predict_raw(features);
    REQUIRE(prediction.size() == 300);
    CHECK(prediction == model.to_prediction(raw));
    for (Index i = 0; i < 300; ++i) {
      Index best = 0;
      raw.col(i).maxCoeff(&best);
      CHECK(prediction[i] == static_cast<double>(best));
    }
  }

  // Both classes have the probability 1/2.
  TEST_CASE("honours thresholds in every prediction") {
    const Topology topology({1, 2});
    const Vector zero = Vector::Zero(4);
    const Matrix features = Matrix::Ones(1, 3);

    CHECK(Model(topology, zero).predict(features) == Vector::Zero(3));
    CHECK(Model(topology, zero, {0.6, 0.4}).predict(features) ==
          Vector::Ones(3));
    CHECK(Model(topology, zero, {0.4, 0.6}).predict(features) ==
          Vector::Zero(3));
    CHECK(Model(topology, zero, {1.0, 0.0}).predict(features) ==
          Vector::Ones(3));
  }

  TEST_CASE("scores each instance alone as it does among others") {
    const Model model = deep_model();
    const Matrix features = draw_features(4, 200);

    const Matrix all = model.predict_raw(features);

    for (Index i = 0; i < features.cols(); i += 13) {
      const Vector alone = model.predict_raw(features.col(i));
      CHECK((alone - all.col(i)).norm() < kRounding);
    }
  }

  TEST_CASE("scores a part of a larger matrix and any storage order") {
    const Model model = deep_model();
    const Matrix wide = draw_features(7, 20);
    const Matrix part = wide.middleRows(2, 4);

    const Matrix expected = model.predict_raw(part);

    CHECK(model.predict_raw(wide.middleRows(2, 4)) == expected);
    using RowMajor =
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const RowMajor rows = part;
    CHECK(model.predict_raw(rows) == expected);
    CHECK(model.predict_raw(part.leftCols(1)) == expected.col(0));
  }

  TEST_CASE("scores no instances at all") {
    const Model model = deep_model();
    const Matrix none(4, 0);

    CHECK(model.predict_raw(none).cols() == 0);
    CHECK(model.predict_raw(none).rows() == 3);
    CHECK(model.predict_probability(none).cols() == 0);
    CHECK(model.predict(none).size() == 0);
  }

  // W = 1, b = 0, then the sigmoid: 1 / (1 + exp(-x)).
  TEST_CASE("gives the output of a hidden layer after its sigmoid") {
    const Model model(Topology({1, 1, 2}), numbers({1, 0, 5, 5, 5, 5}));

    const Matrix hidden =
        model.hidden_output(numbers({std::log(3.0), 0.0}).transpose(), 1);

    REQUIRE(hidden.rows() == 1);
    CHECK(std::abs(hidden(0, 0) - 0.75) < kRounding);
    CHECK(hidden(0, 1) == 0.5);
  }

  TEST_CASE("leads from the last hidden layer to the raw prediction") {
    const Model model = deep_model();
    const Matrix features = draw_features(4, 150);

    const Matrix hidden = model.hidden_output(features, 2);

    CHECK(model.hidden_output(features, 1).rows() == 5);
    REQUIRE(hidden.rows() == 3);
    const Model last(Topology({3, 3}), model.weights().tail(12));
    const Matrix difference =
        last.predict_raw(hidden) - model.predict_raw(features);
    CHECK(difference.cwiseAbs().maxCoeff() < kRounding);
  }

  TEST_CASE("scales the features before the first layer") {
    Model model = affine_model();
    model.set_scaler({numbers({10, 20}), numbers({2, 0})});
    Matrix features(2, 1);
    features << 14, 99;

    // (14 - 10) / 2 = 2, and a constant feature becomes 0.
    CHECK(model.predict_raw(features) ==
          affine_model().predict_raw(numbers({2, 0})));
    CHECK(features(0, 0) == 14.0);
  }

  TEST_CASE("scales the features before a hidden layer too") {
    Model model(Topology({1, 1, 2}), numbers({1, 0, 5, 5, 5, 5}));
    model.set_scaler({numbers({10}), numbers({2})});

    // (10 - 10) / 2 = 0, and (x - 10) / 2 = log 3 gives 3/4.
    const Matrix hidden = model.hidden_output(
        numbers({10.0, 10.0 + 2.0 * std::log(3.0)}).transpose(), 1);

    CHECK(hidden(0, 0) == 0.5);
    CHECK(std::abs(hidden(0, 1) - 0.75) < kRounding);
  }

  TEST_CASE("scales a part of a wider matrix before a hidden layer") {
    Model model(Topology({2, 1, 2}), numbers({1, 1, 0, 5, 5, 5, 5}));
    model.set_scaler({numbers({1, 2}), numbers({2, 4})});
    Matrix wide(3, 2);
    wide << 1, 3, 2, 2, 99, 99;

    const Matrix hidden = model.hidden_output(wide.topRows(2), 1);

    CHECK(hidden(0, 0) == 0.5);
    CHECK(std::abs(hidden(0, 1) - 1.0 / (1.0 + std::exp(-1.0))) < kRounding);
    CHECK(wide(0, 1) == 3.0);
  }

  TEST_CASE("scores by running statistics and without dropout") {
    const Model model = rich_model();
    const Matrix features = draw_features(4, 6);

    const Matrix raw = model.predict_raw(features);
    const Matrix second = model.hidden_output(features, 2);

    for (Index i = 0; i < features.cols(); ++i) {
      const Vector hidden =
          hidden_by_hand(model, 1, hidden_by_hand(model, 0, features.col(i)));
      const auto last = view_layer(model.topology(), 2, model.weights().data());
      const Vector expected = last.weights * hidden + last.biases;
      CHECK((second.col(i) - hidden).lpNorm<Eigen::Infinity>() <
            kFoldTolerance);
      CHECK((raw.col(i) - expected).lpNorm<Eigen::Infinity>() < kFoldTolerance);
    }
  }

  TEST_CASE("starts with means 0 and variances 1") {
    const Model model(rich_topology(),
                      Vector::Zero(rich_topology().num_weights()));

    CHECK(model.statistics() == numbers({0, 0, 0, 0, 0, 1, 1, 1, 1, 1,
                                         0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
    CHECK(affine_model().statistics().size() == 0);
  }

  TEST_CASE("predicts numbers where it is a regressor") {
    const Model model(Topology({2, 1}, Loss::kSquaredError),
                      numbers({2, -3, 0.5}));
    const Matrix features{{1.0, 0.0}, {1.0, 2.0}};

    CHECK(model.is_regressor());
    CHECK_FALSE(affine_model().is_regressor());
    CHECK(model.predict(features) == numbers({-0.5, -5.5}));
    CHECK(model.predict_raw(features) == Matrix{{-0.5, -5.5}});
    CHECK(model.predict_probability(features).rows() == 0);
    CHECK(model.to_probability(model.predict_raw(features)).rows() == 0);
    CHECK(model.to_prediction(model.predict_raw(features)) ==
          numbers({-0.5, -5.5}));
  }

  TEST_CASE("rejects statistics of another number than the layers need") {
    Model model = rich_model();

    CHECK_THROWS_WITH_AS(model.set_statistics(Vector::Zero(5)),
                         "statistics must be 20; got 5", ShapeError);
  }

  TEST_CASE("names classes and those without a name by their index") {
    Model model = deep_model();

    model.set_label_names({"setosa", "versicolor"});

    CHECK(model.label_names() == Names{"setosa", "versicolor"});
    CHECK(model.class_name(0) == "setosa");
    CHECK(model.class_name(1) == "versicolor");
    CHECK(model.class_name(2) == "2");
  }

  TEST_CASE("takes one name per feature or none") {
    Model model = affine_model();

    model.set_feature_names({"a", "b"});
    CHECK(model.feature_names() == Names{"a", "b"});
    model.set_feature_names({});
    CHECK(model.feature_names().empty());
  }
}

TEST_SUITE("mlp/model refusal") {
  TEST_CASE("rejects weights of another number than the layers need") {
    CHECK_THROWS_WITH_AS(Model(Topology({2, 2}), Vector::Zero(5)),
                         "weights must be 6; got 5", ShapeError);
  }

  TEST_CASE("rejects thresholds of another number than classes") {
    CHECK_THROWS_WITH_AS(affine_model({0.1, 0.2, 0.3}),
                         "thresholds must be 2; got 3", ShapeError);
  }

  TEST_CASE("rejects instances with another number of features") {
    const Model model = affine_model();
    const std::string sentence =
        "instances must have 2 features for layers [2, 2]; got 3";
    const Matrix features = Matrix::Zero(3, 1);

    CHECK_THROWS_WITH_AS((void)model.predict_raw(features), sentence.c_str(),
                         ShapeError);
    CHECK_THROWS_WITH_AS((void)model.predict_probability(features),
                         sentence.c_str(), ShapeError);
    CHECK_THROWS_WITH_AS((void)model.predict(features), sentence.c_str(),
                         ShapeError);
  }

  TEST_CASE("rejects a layer that is not hidden") {
    const Model model = deep_model();
    const Matrix features = Matrix::Zero(4, 1);

    CHECK_THROWS_WITH_AS(
        (void)model.hidden_output(features, 0),
        "layer must be a hidden one, 1 to 2 for layers [4, 5, 3, 3]; got 0",
        ParamError);
    CHECK_THROWS_WITH_AS(
        (void)model.hidden_output(features, 3),
        "layer must be a hidden one, 1 to 2 for layers [4, 5, 3, 3]; got 3",
        ParamError);
  }

  TEST_CASE("rejects names of another number than features") {
    CHECK_THROWS_WITH_AS(affine_model().set_feature_names({"a"}),
                         "feature names must be 2; got 1", ShapeError);
  }

  TEST_CASE("rejects more names than classes") {
    CHECK_THROWS_WITH_AS(
        affine_model().set_label_names({"a", "b", "c"}),
        "label names must be at most 2 for layers [2, 2]; got 3", ShapeError);
  }

  TEST_CASE("rejects a scaler of another number of features") {
    CHECK_THROWS_WITH_AS(
        affine_model().set_scaler({Vector::Zero(3), Vector::Ones(2)}),
        "scaler means must be 2; got 3", ShapeError);
    CHECK_THROWS_WITH_AS(
        affine_model().set_scaler({Vector::Zero(2), Vector::Ones(1)}),
        "scaler deviations must be 2; got 1", ShapeError);
  }
}

TEST_CASE("has the features of its encoder") {
  Model model(Topology({5, 2}), Vector::Zero(12));

  model.set_encoder({3, {{}, {0.0, 1.0, 2.0, 3.0}}});
  model.set_feature_names({"x", "y"});
  model.set_scaler({Vector::Zero(2), Vector::Ones(2)});

  CHECK(model.num_features() == 2);
  CHECK(model.layers() == std::vector<Index>{5, 2});
}

TEST_CASE("rejects an encoder of other inputs or features") {
  Model model(Topology({5, 2}), Vector::Zero(12));
  model.set_feature_names({"a", "b", "c", "d", "e"});

  CHECK_THROWS_WITH_AS(model.set_encoder({3, {{}, {0.0, 1.0, 2.0}}}),
                       "values of the numeric encoding must be 5; got 4",
                       ShapeError);
  CHECK_THROWS_WITH_AS(model.set_encoder({3, {{}, {0.0, 1.0, 2.0, 3.0}}}),
                       "features of the numeric encoding must be 5; got 2",
                       ShapeError);
}

TEST_CASE("finds its features and its label in other tables") {
  Model model(Topology({2, 2}), numbers({1, 3, 2, 4, 5, 6}));
  model.set_label_column("4");
  CHECK(model.known_label() == datasets::KnownLabel{"", 4});
  CHECK_THROWS_WITH_AS(model.find_features({"a"}),
                       "model must have names of its features; got a model "
                       "without them, which takes columns in their order",
                       ParamError);

  model.set_feature_names({"a", "b"});
  CHECK(model.known_label() == datasets::KnownLabel{"4", -1});
  CHECK(model.find_features({"b", "4", "a"}) == std::vector<Index>{2, 0});
  CHECK_THROWS_WITH_AS(model.find_features({"b"}),
                       "there is no column 'a'; expected the features by "
                       "their names, got 'b'",
                       DataError);
}
}  // namespace mlp
