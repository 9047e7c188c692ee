// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/merge_models.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../../../mlp/network/initial_weights.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

// Sums of some dozen products in another order.
constexpr double kRounding = 1e-13;

Model make_model(std::vector<Index> layers, std::int64_t seed,
                 HiddenLayer hidden = {}, LossFunction loss = {}) {
  std::vector<HiddenLayer> all(layers.size() - 2, hidden);
  const Topology topology(std::move(layers), loss, std::move(all));
  return {topology, draw_initial_weights(topology, seed, SeedHash::kSpark3,
                                         Initialization::kHeNormal)};
}

/// Compares the raw predictions with the mean of those of the models.
void check_mean(const std::vector<Model>& models) {
  const Matrix features = Matrix::Random(models.front().num_features(), 20);
  Matrix mean = Matrix::Zero(models.front().num_classes(), 20);
  for (const Model& model : models) mean += model.predict_raw(features);
  mean /= static_cast<double>(models.size());

  const Matrix merged = merge_models(models).predict_raw(features);

  CHECK((merged - mean).cwiseAbs().maxCoeff() < kRounding);
}

}  // namespace

TEST_SUITE("mlp/selection/merge_models") {
  TEST_CASE("predicts the mean of the raw predictions") {
    check_mean({make_model({4, 5, 3}, 1), make_model({4, 5, 3}, 2),
                make_model({4, 7, 3}, 3)});
  }

  TEST_CASE("keeps the networks apart in deeper layers") {
    const HiddenLayer relu{Activation::of<activations::Relu>()};
    const std::vector<Model> models{make_model({3, 4, 5, 2}, 1, relu),
                                    make_model({3, 6, 2, 2}, 2, relu)};

    check_mean(models);
    CHECK(merge_models(models).layers() == std::vector<Index>{3, 10, 7, 2});
  }

  TEST_CASE("a model with fewer features takes the first ones") {
    const Model wide = make_model({5, 4, 2}, 1);
    const Model narrow = make_model({3, 6, 2}, 2);
    const Matrix features = Matrix::Random(5, 10);

    const Model merged = merge_models(std::vector<Model>{wide, narrow});

    const Matrix mean = 0.5 * (wide.predict_raw(features) +
                               narrow.predict_raw(features.topRows(3)));
    CHECK(merged.layers() == std::vector<Index>{5, 10, 2});
    CHECK((merged.predict_raw(features) - mean).cwiseAbs().maxCoeff() <
          kRounding);
  }

  TEST_CASE("folds batch normalisation first") {
    HiddenLayer normalised;
    normalised.has_batch_norm = true;
    std::vector<Model> models{make_model({3, 4, 2}, 1, normalised),
                              make_model({3, 4, 2}, 2, normalised)};
    for (Model& model : models) {
      Vector statistics = model.statistics();
      statistics.setLinSpaced(0.5, 2.0);
      model.set_statistics(statistics);
    }

    check_mean(models);
  }

  TEST_CASE("averages the numbers of regressors") {
    LossFunction squared;
    squared.kind = Loss::kSquaredError;
    check_mean({make_model({3, 4, 1}, 1, {}, squared),
                make_model({3, 4, 1}, 2, {}, squared)});
  }

  TEST_CASE("keeps the names, the scaler and the thresholds of the first") {
    Model first = make_model({2, 3, 2}, 1);
    first.set_feature_names({"a", "b"});
    first.set_thresholds({0.3, 0.7});
    const datasets::StandardScaler scaler{Vector{{1, 2}}, Vector{{3, 4}}};
    first.set_scaler(scaler);
    Model second = make_model({2, 3, 2}, 2);
    second.set_scaler(scaler);

    const Model merged = merge_models(std::vector<Model>{first, second});

    CHECK(merged.feature_names() == first.feature_names());
    CHECK(merged.thresholds() == first.thresholds());
    CHECK(merged.scaler()->mean == scaler.mean);
  }

  TEST_CASE("refuses models that cannot stand side by side") {
    const auto message = [](const Model& a, const Model& b) {
      return test::thrown_message<ParamError>([&] {
        static_cast<void>(merge_models(std::vector<Model>{a, b}));
      });
    };
    const Model plain = make_model({2, 3, 2}, 1);
    HiddenLayer residual;
    residual.is_residual = true;
    Model scaled = plain;
    scaled.set_scaler({Vector{{1, 2}}, Vector{{3, 4}}});

    CHECK(message(plain, make_model({3, 3, 2}, 1)).find("got layers") !=
          std::string::npos);
    CHECK(message(plain, make_model({2, 3, 3, 2}, 1)).find("got layers") !=
          std::string::npos);
    CHECK(message(plain, make_model({2, 3, 2}, 1, residual))
              .find("hidden layer 1") != std::string::npos);
    CHECK(message(plain, scaled).find("different scalers") !=
          std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(merge_models({})), ParamError);
  }

  TEST_CASE("a temperature divides the raw predictions") {
    const Model model = make_model({4, 5, 3}, 1);
    const Matrix features = Matrix::Random(4, 10);

    const Matrix raw = with_temperature(model, 2.0).predict_raw(features);

    CHECK((raw - model.predict_raw(features) / 2.0).cwiseAbs().maxCoeff() <
          kRounding);
  }
}

}  // namespace mlp
