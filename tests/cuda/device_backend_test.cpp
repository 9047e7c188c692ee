// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cuda/device_backend.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../datasets/csv/csv.hpp"
#include "../../datasets/label_index.hpp"
#include "../../mlp/classifier.hpp"
#include "cublas_of_tests.hpp"

namespace mlp::testing {
namespace {

constexpr double kTolerance = 1e-9;

datasets::Dataset read_iris() {
  datasets::Dataset data =
      datasets::read_csv_file(MLP_DATA_DIR "/iris.csv").dataset;
  data.labels = datasets::LabelIndex::fit(data.label_texts).apply(data);
  return data;
}

/// Trains on some instances of iris.
FitResult fit(const Params& params, const Backend* backend) {
  FitOptions options;
  if (backend) options.backend = backend;
  options.num_threads = 1;
  return Classifier(params).fit(read_iris(), options);
}

Params batch_params(Solver solver) {
  Params params;
  params.layers = {4, 6, 3};
  params.solver = solver;
  params.max_iter = 2;
  params.batch_size = 32;
  return params;
}

TEST_SUITE("cuda/device_backend") {
  TEST_CASE("has the name of the device") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());

    CHECK(std::string(backend.name()).starts_with("CUDA ("));
  }

  TEST_CASE("refuses a device that does not exist") {
    cuda::BackendOptions options;
    options.device = 99;

    CHECK_THROWS_AS(cuda::DeviceBackend(options, cuda::cublas_of_tests()),
                    DeviceError);
  }

  TEST_CASE("trains by mini-batches to the weights of the reference") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    Params params = batch_params(Solver::kAdam);
    params.dropout = {0.2};

    const FitResult expected = fit(params, &reference_backend());
    const FitResult received = fit(params, &backend);

    CHECK((received.model.weights() - expected.model.weights()).norm() <
          kTolerance * expected.model.weights().norm());
  }

  // 150 instances make 5 mini-batches, the last of 22. The end writes no state.
  TEST_CASE("resumes each state of mini-batches, before the last one too") {
    for (const Solver solver : {Solver::kAdam, Solver::kSgd}) {
      CAPTURE(static_cast<int>(solver));
      const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
      const Params params = batch_params(solver);
      std::vector<std::string> states;
      FitOptions options;
      options.backend = &backend;
      options.checkpoint.is_due = [](Index, bool) { return true; };
      options.checkpoint.write = [&](const std::string& state) {
        states.push_back(state);
      };
      const FitResult whole = Classifier(params).fit(read_iris(), options);

      CHECK(states.size() == 2 * 5 - 1);
      for (const std::string& state : states) {
        FitOptions resumed;
        resumed.backend = &backend;
        resumed.checkpoint.state = state;
        const FitResult rest = Classifier(params).fit(read_iris(), resumed);
        CHECK(rest.model.weights() == whole.model.weights());
      }
    }
  }

  TEST_CASE("scores as the reference, whose model it gets") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    Params params;
    params.layers = {4, 5, 3};
    params.max_iter = 5;
    const Model model = fit(params, nullptr).model;
    const Matrix features = read_iris().features;

    const Matrix raw = model.predict_raw(features, backend);

    const Matrix expected = model.predict_raw(features, reference_backend());
    CHECK((raw - expected).norm() < kTolerance * expected.norm());
  }
}

}  // namespace
}  // namespace mlp::testing
