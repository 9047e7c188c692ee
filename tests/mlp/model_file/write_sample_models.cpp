// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Writes model files for schema_test.py: write_sample_models FOLDER

#include <iostream>
#include <limits>
#include <string>

#include "../../../core/error.hpp"
#include "../../../mlp/model_json.hpp"
#include "sample_document.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "expected a folder; got " << argc - 1 << " arguments\n";
    return 2;
  }
  const std::string folder = argv[1];
  mlp::save_model(folder + "/plain.json", mlp::tests::plain_document());
  mlp::save_model(folder + "/full.json", mlp::tests::full_document());
  mlp::save_model(folder + "/base64.json", mlp::tests::full_document(),
                  mlp::WeightsEncoding::kBase64);
  mlp::ModelDocument diverging = mlp::tests::plain_document();
  diverging.summary.objective_history.push_back(
      std::numeric_limits<double>::quiet_NaN());
  diverging.summary.validation_history = diverging.summary.objective_history;
  mlp::save_model(folder + "/diverging.json", diverging);
  mlp::ModelDocument single = mlp::tests::plain_document();
  single.precision = mlp::Precision::kFloat32;
  mlp::save_model(folder + "/single.json", single);
  mlp::save_model(folder + "/network.json", mlp::tests::network_document());
  mlp::save_model(folder + "/columns.json", mlp::tests::columns_document());
  mlp::save_model(folder + "/encoding.json", mlp::tests::encoding_document());
  mlp::save_model(folder + "/extra.json", mlp::tests::extra_document());
  mlp::save_model(folder + "/rules.json", mlp::tests::rules_document());
  mlp::save_model(folder + "/regressor.json", mlp::tests::regressor_document());
  mlp::save_model(folder + "/set.json", mlp::tests::set_document());
  mlp::save_model(folder + "/interval.json", mlp::tests::interval_document());
} catch (const mlp::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
