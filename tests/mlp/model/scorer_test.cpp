// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/scorer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../cpu/cpu_backend.hpp"
#include "../../../mlp/model/model.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../allocations.hpp"
#include "../random_instances.hpp"

namespace mlp {
namespace {

/// A few roundings of numbers near 1, which exp of another order of sums adds.
constexpr double kRounding = 1e-13;

/// Single precision, some layers deep.
constexpr double kSingleTolerance = 2e-5;

Model draw_model(std::vector<Index> layers,
                 std::vector<double> thresholds = {}) {
  const Topology topology(std::move(layers));
  return Model(topology, draw_initial_weights(topology, 7),
               std::move(thresholds));
}

/// With a scaler that moves every feature, the second to a constant.
Model scaled_model(std::vector<double> thresholds = {}) {
  Model model = draw_model({4, 5, 3}, std::move(thresholds));
  model.set_scaler({Vector::LinSpaced(4, -1.0, 1.0),
                    Vector::LinSpaced(4, 0.5, 2.0)
                        .cwiseProduct(Vector::Unit(4, 1).unaryExpr(
                            [](double x) { return 1.0 - x; }))});
  return model;
}

/// Of 3 features, the first with 2 bins and the last with 3; with a scaler.
Model encoding_model(std::vector<double> thresholds = {}) {
  Model model = draw_model({8, 5, 3}, std::move(thresholds));
  model.set_encoder({3, {{-0.5, 0.1, 0.4}, {}, {-0.7, -0.1, 0.2, 0.6}}});
  model.set_scaler({Vector{{0.1, -0.2, 0.3}}, Vector{{0.5, 0.0, 2.0}}});
  return model;
}

/// The same network, for features that are encoded and scaled already.
Model inner_model(const Model& model) {
  return Model(model.topology(), model.weights(), model.thresholds());
}

/// The inputs of the network, computed plainly.
Matrix encode_and_scale(const Model& model, const Matrix& features) {
  Matrix inputs = model.encoder()->encode(ConstMatrixRef(features));
  model.scaler()->apply(inputs.topRows(features.rows()));
  return inputs;
}

Matrix draw_features(Index rows, Index columns) {
  SparkRandom random(3);
  return testing::draw_matrix(random, rows, columns);
}

/// Checks a row's every form against the batch, which gives the same bits.
void check_rows(const Scorer& scorer, const Matrix& features) {
  const Matrix raw = scorer.predict_raw(features);
  const Matrix probability = scorer.predict_probability(features);
  const Vector prediction = scorer.predict(features);
  Vector row(scorer.num_classes());
  for (Index i = 0; i < features.cols(); ++i) {
    const double* x = features.col(i).data();
    scorer.predict_raw(x, row.data());
    CHECK(row == raw.col(i));
    scorer.predict_probability(x, row.data());
    CHECK(row == probability.col(i));
    CHECK(static_cast<double>(scorer.predict(x)) == prediction[i]);
  }
}

}  // namespace

TEST_SUITE("mlp/model/scorer") {
  TEST_CASE("scores rows as batches with scalers and thresholds") {
    for (const Backend* backend : cpu::usable_backends()) {
      for (const Model& model :
           {draw_model({4, 5, 4, 3}), scaled_model(),
            scaled_model({0.2, 0.7, 0.1}), draw_model({4, 300, 300})}) {
        check_rows(Scorer(model, *backend), draw_features(4, 40));
      }
    }
  }

  TEST_CASE("agrees with the reference on every backend") {
    const Model model = scaled_model({0.2, 0.7, 0.1});
    const Matrix features = draw_features(4, 300);
    const Scorer reference(model);
    for (const Backend* backend : cpu::usable_backends()) {
      const Scorer scorer(model, *backend);

      CHECK((scorer.predict_raw(features) - reference.predict_raw(features))
                .cwiseAbs()
                .maxCoeff() <= kRounding);
      CHECK((scorer.predict_probability(features) -
             reference.predict_probability(features))
                .cwiseAbs()
                .maxCoeff() <= kRounding);
      CHECK(scorer.predict(features) == reference.predict(features));
    }
  }

  TEST_CASE("encodes rows and batches as the plain encoding does") {
    const Matrix features = draw_features(3, 600);
    for (const Backend* backend : cpu::usable_backends()) {
      for (const Model& model :
           {encoding_model(), encoding_model({0.2, 0.7, 0.1})}) {
        const Matrix inputs = encode_and_scale(model, features);
        const Scorer plain(inner_model(model), *backend);
        const Scorer scorer(model, *backend);

        CHECK(scorer.num_features() == 3);
        CHECK(scorer.predict_raw(features) == plain.predict_raw(inputs));
        CHECK(scorer.predict_raw(features, 3) == plain.predict_raw(inputs));
        CHECK(scorer.predict_probability(features) ==
              plain.predict_probability(inputs));
        CHECK(scorer.predict(features) == plain.predict(inputs));
        CHECK(model.hidden_output(features, 1, *backend) ==
              inner_model(model).hidden_output(inputs, 1, *backend));
        check_rows(scorer, features.leftCols(40));
      }
    }
  }

  TEST_CASE("encodes floats as the same numbers of type double") {
    const Eigen::MatrixXf floats = draw_features(3, 600).cast<float>();
    const Model model = encoding_model();
    const Matrix inputs = encode_and_scale(model, floats.cast<double>());
    for (const Backend* backend : cpu::usable_backends()) {
      const Matrix raw =
          Scorer(inner_model(model), *backend).predict_raw(inputs);
      const Scorer scorer(model, *backend);
      Matrix doubles(3, 600);
      Eigen::MatrixXf singles(3, 600);

      scorer.predict_raw(floats.data(), 600, doubles.data(), 2);
      scorer.predict_raw(floats.data(), 600, singles.data());

      CHECK(doubles == raw);
      CHECK(singles == raw.cast<float>());
    }
  }

  TEST_CASE("encodes columns that are not contiguous") {
    const Matrix wide = draw_features(5, 30);
    const Model model = encoding_model();
    const Matrix features = wide.middleRows(1, 3);

    CHECK(Scorer(model).predict_raw(wide.middleRows(1, 3)) ==
          Scorer(model).predict_raw(features));
    CHECK(model.hidden_output(wide.middleRows(1, 3), 1) ==
          model.hidden_output(features, 1));
  }

  TEST_CASE("refuses the number of inputs in place of that of the features") {
    const Model model = encoding_model();

    CHECK_THROWS_WITH_AS(
        static_cast<void>(model.predict(Matrix(8, 1))),
        "instances must have 3 features for layers [8, 5, 3] and their numeric "
        "encoding; got 8",
        ShapeError);
  }

  // (x - mean) / deviation by hand; a constant feature becomes 0.
  TEST_CASE("scales features before the first layer") {
    Vector weights(6);
    weights << 1, 3, 2, 4, 5, 6;
    Model model(Topology({2, 2}), weights);
    model.set_scaler({Vector{{1.0, 7.0}}, Vector{{2.0, 0.0}}});
    const double features[] = {5.0, 9.0};
    double raw[2];

    Scorer(model).predict_raw(features, raw);

    CHECK(raw[0] == 1 * 2 + 5);
    CHECK(raw[1] == 3 * 2 + 6);
  }

  TEST_CASE("gives the numbers of a regressor and no probabilities") {
    // z = 2 x + 1.
    Vector weights(2);
    weights << 2.0, 1.0;
    const Model model(Topology({1, 1}, Loss::kSquaredError), weights);
    const Matrix features = Matrix::Constant(1, 3, 1.5);

    const Scorer scorer(model, reference_backend());

    CHECK(scorer.predict(features) == Vector::Constant(3, 4.0));
    CHECK(scorer.predict_probability(features).rows() == 0);
    CHECK(scorer.predict_probability(features).cols() == 3);
  }

  TEST_CASE("scores float rows in single precision") {
    for (const Model& model : {draw_model({4, 5, 3}), scaled_model()}) {
      const Matrix features = draw_features(4, 20);
      const Matrix expected = Scorer(model).predict_probability(features);
      const Scorer scorer(model, cpu::backend(), Precision::kFloat32);
      for (Index i = 0; i < 20; ++i) {
        const Eigen::VectorXf x = features.col(i).cast<float>();
        Eigen::VectorXf probability(3);

        scorer.predict_probability(x.data(), probability.data());

        CHECK((probability.cast<double>() - expected.col(i)).norm() <=
              kSingleTolerance);
        CHECK(scorer.predict(x.data()) == argmax(probability.cast<double>()));
      }
    }
  }

  TEST_CASE("gives the same bits for any number of threads") {
    const Scorer scorer(draw_model({50, 100, 10}), cpu::backend());
    const Matrix features = draw_features(50, 5001);
    const Matrix raw = scorer.predict_raw(features);

    for (const int num_threads : {0, 2, 3, 8}) {
      CHECK(scorer.predict_raw(features, num_threads) == raw);
      CHECK(scorer.predict(features, num_threads) == scorer.predict(features));
      CHECK(scorer.predict_probability(features, num_threads) ==
            scorer.predict_probability(features));
    }
  }

  TEST_CASE("scores rows in the memory of the caller as it scores a matrix") {
    for (const Model& model : {scaled_model(), draw_model({4, 90, 3})}) {
      const Scorer scorer(model, cpu::backend());
      const Matrix features = draw_features(4, 700);
      Matrix raw(3, 700);

      scorer.predict_raw(features.data(), 700, raw.data(), 2);

      CHECK(raw == scorer.predict_raw(features));
    }
  }

  TEST_CASE("gives rows of float the double outputs of the same numbers") {
    for (const Model& model : {scaled_model(), draw_model({4, 90, 3})}) {
      const Scorer scorer(model, cpu::backend());
      const Eigen::MatrixXf features = draw_features(4, 700).cast<float>();
      Matrix raw(3, 700);

      scorer.predict_raw(features.data(), 700, raw.data(), 2);

      CHECK(raw == scorer.predict_raw(Matrix(features.cast<double>())));
    }
  }

  TEST_CASE("scores columns that are apart, and none") {
    const Scorer scorer(draw_model({4, 5, 3}), cpu::backend());
    const Matrix all = draw_features(9, 30);
    const Matrix copy = all.topRows(4);

    CHECK(scorer.predict_raw(all.topRows(4)) == scorer.predict_raw(copy));
    CHECK(scorer.predict_raw(Matrix(4, 0)).cols() == 0);
    CHECK(scorer.predict(Matrix(4, 0)).size() == 0);
  }

  TEST_CASE("refuses another number of features") {
    const Scorer scorer(draw_model({4, 5, 3}));

    CHECK_THROWS_WITH_AS(
        scorer.predict(Matrix::Zero(3, 1)),
        "instances must have 4 features for layers [4, 5, 3]; got 3",
        ShapeError);
  }

#ifndef MLP_COUNTS_NO_ALLOCATIONS
  TEST_CASE("allocates nothing for a row unless a layer is wide") {
    const Matrix features = draw_features(784, 1);
    for (const Backend* backend : cpu::usable_backends()) {
      for (const auto& layers :
           {std::vector<Index>{4, 5, 4, 3}, {784, 100, 10}}) {
        const Scorer scorer(
            draw_model(layers,
                       std::vector<double>(
                           static_cast<std::size_t>(layers.back()), 0.5)),
            *backend);
        std::vector<double> probability(10);
        CAPTURE(backend->name());
        CAPTURE(layers.size());
        const int before = testing::num_allocations;

        scorer.predict_raw(features.data(), probability.data());
        scorer.predict_probability(features.data(), probability.data());
        static_cast<void>(scorer.predict(features.data()));

        const int allocations = testing::num_allocations - before;
        CHECK(allocations == 0);
      }
    }
    CHECK(testing::num_allocations > 0);
  }
#endif

  TEST_CASE("serves many threads at once") {
    const Scorer scorer(scaled_model({0.2, 0.7, 0.1}), cpu::backend());
    const Matrix features = draw_features(4, 200);
    const Vector expected = scorer.predict(features);
    std::atomic<int> num_wrong{0};

    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        if (scorer.predict(features) != expected) ++num_wrong;
        for (Index i = 0; i < features.cols(); ++i) {
          const Index label = scorer.predict(features.col(i).data());
          if (static_cast<double>(label) != expected[i]) ++num_wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();

    CHECK(num_wrong == 0);
  }
}

}  // namespace mlp
