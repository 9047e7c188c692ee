// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/device/cpu_speed.hpp"

#include <doctest/doctest.h>

#include "../../../cpu/cpu_backend.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/params/param_rules.hpp"

namespace mlp::cli {

namespace {

/// No machine needs as long for one instance, or is as fast.
constexpr double kSlow = 1e-2;
constexpr double kFast = 1e-10;

datasets::Dataset make_data(Index num_features, Index num_instances) {
  datasets::Dataset data;
  data.features = Matrix::Constant(num_features, num_instances, 0.25);
  data.labels = Vector::Zero(num_instances);
  return data;
}

double measure(const Backend& backend, Params params, Precision precision,
               const datasets::Dataset& data) {
  constexpr int kThreads = 2;
  return measure_training(backend, topology_of(params), params, precision,
                          kThreads, data);
}

void check_plausible(double seconds) {
  CHECK(seconds > kFast);
  CHECK(seconds < kSlow);
}

}  // namespace

TEST_SUITE("cli/device/cpu_speed") {
  TEST_CASE("measures every solver, loss and precision") {
    const datasets::Dataset data = make_data(7, 500);
    Params params;
    params.layers = {7, 20, 3};
    for (const Solver solver : {Solver::kLbfgs, Solver::kAdam}) {
      params.solver = solver;
      check_plausible(
          measure(cpu::backend(), params, Precision::kFloat64, data));
      check_plausible(
          measure(cpu::backend(), params, Precision::kFloat32, data));
      check_plausible(
          measure(reference_backend(), params, Precision::kFloat64, data));
    }
    params.task = Task::kRegression;
    params.layers = {7, 20, 1};
    check_plausible(measure(cpu::backend(), params, Precision::kFloat64, data));
  }

  TEST_CASE("measures batch normalisation and dropout with mini-batches") {
    Params params;
    params.layers = {7, 20, 3};
    params.solver = Solver::kSgd;
    params.batch_size = 1;
    params.batch_norm = true;
    params.dropout = {0.5};

    check_plausible(
        measure(cpu::backend(), params, Precision::kFloat64, make_data(7, 3)));
  }

  TEST_CASE("measures features that are not encoded yet") {
    Params params;
    params.layers = {7, 20, 3};

    check_plausible(measure(cpu::backend(), params, Precision::kFloat64,
                            make_data(2, 500)));
  }

  TEST_CASE("measures more for a larger network") {
    const datasets::Dataset data = make_data(50, 2000);
    Params params;
    params.layers = {50, 10, 3};
    const double small =
        measure(cpu::backend(), params, Precision::kFloat64, data);
    params.layers = {50, 500, 500, 3};

    CHECK(measure(cpu::backend(), params, Precision::kFloat64, data) >
          2.0 * small);
  }

  TEST_CASE("measures predictions") {
    const Topology topology({7, 20, 3});
    const Model model(topology, Vector::Constant(topology.num_weights(), 0.1));

    check_plausible(
        measure_scoring(cpu::backend(), model, 2, Matrix::Constant(7, 3, 0.5)));
  }
}

}  // namespace mlp::cli
