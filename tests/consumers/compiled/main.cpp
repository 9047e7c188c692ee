// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Trains, writes and reads again, without the definitions in any header.

#include <iostream>
#include <mlp/mlp.hpp>
#include <mlp/model_json.hpp>

#if defined(NLOHMANN_JSON_VERSION_MAJOR)
#error "mlp::compiled must not need nlohmann/json"
#endif

int main() {
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}};
  data.labels = mlp::Vector{{0, 1, 1, 0}};
  mlp::Params params;
  params.layers = {2, 5, 2};
  params.seed = 123;

  const mlp::FitResult fit = mlp::Classifier(params).fit(data);
  const std::string json = mlp::to_json(
      mlp::make_model_document(fit.model, params, fit.summary, data));
  const mlp::ModelDocument document = mlp::from_json(json, "model");

  std::cout << document.model.predict(data.features).transpose() << '\n';
  return document.model.predict(data.features) == data.labels ? 0 : 1;
}
