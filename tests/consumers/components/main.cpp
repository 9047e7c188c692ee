// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Uses what lies beyond the umbrella header: a compressed file, given as
// argument, the tuned kernels, a model as JSON, and what loads plugins.

#include <cpu/cpu_backend.hpp>
#include <datasets/load/load.hpp>
#include <distributed/gloo/gloo_allreduce.hpp>
#include <distributed/mpi/mpi_allreduce.hpp>
#include <iostream>
#include <mlp/mlp.hpp>
#include <mlp/model_json.hpp>

#if defined(MLP_COMPILED) && defined(NLOHMANN_JSON_VERSION_MAJOR)
#error "mlp::compiled includes what it has compiled"
#endif

int main(int, char** arguments) {
  mlp::datasets::Dataset data;
  data.labels = mlp::datasets::load_labels(arguments[1]).head(4);
  data.features = mlp::Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}};
  mlp::Params params;
  params.layers = {2, 10};
  mlp::FitOptions options;
  options.backend = &mlp::cpu::backend();

  const mlp::FitResult fit = mlp::Classifier(params).fit(data, options);

  const std::string json = mlp::to_json(
      mlp::make_model_document(fit.model, params, fit.summary, data), {},
      "model");
  std::cout << json.size() << " bytes of JSON\n";
  // This program has no plugins beside it, and says so.
  const bool has_plugin = mlp::distributed::probe_gloo("").refusal.empty() ||
                          mlp::distributed::probe_mpi("").refusal.empty();
  return has_plugin || json.find("\"layers\"") == std::string::npos ? 1 : 0;
}
