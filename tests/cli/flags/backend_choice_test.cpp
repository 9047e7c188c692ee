// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/backend_choice.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../mlp/backend/reference_backend.hpp"
#include "../run_program.hpp"

namespace mlp::test {

using cli::choose_backend;
using nlohmann::json;

namespace {

/// Three iterations from the same weights: rounding has no time to grow.
constexpr double kPathTolerance = 1e-12;

/// The same in numbers of 24 bits.
constexpr double kSinglePathTolerance = 1e-4;

/// Tells whether the program finds OpenBLAS; says so where it does not, in the
/// words by which CTest calls a test skipped.
bool is_openblas_there() {
  const json report = json::parse(run_program({"doctor", "--json"}).output);
  const bool is_there = report["openblas"]["found"];
  if (!is_there) std::puts("test skipped: OpenBLAS is not installed");
  return is_there;
}

json train(std::vector<std::string> flags) {
  flags.insert(flags.begin(),
               {"train", data_file("iris.csv"), "--layers", "4,5,4,3", "--seed",
                "1234", "--max-iter", "3", "--json"});
  return json::parse(output_of(flags));
}

void check_same_path(const json& received, const json& expected,
                     double tolerance) {
  REQUIRE(received["objectiveHistory"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto value = expected["objectiveHistory"][i].get<double>();
    CHECK(std::abs(received["objectiveHistory"][i].get<double>() - value) <=
          tolerance * value);
  }
}

/// The files that a training has mapped while it runs.
std::string mapped_files(const std::string& backend) {
  Program training({"train", data_file("digits.csv"), "--layers", "64,100,10",
                    "--solver", "gd", "--tol", "0", "--max-iter", "2000000000",
                    "--progress", "always", "--backend", backend});
  training.wait_for_message("iteration 1");
  return read_bytes("/proc/" + std::to_string(training.id()) + "/maps");
}

}  // namespace

TEST_SUITE("cli/flags/backend_choice") {
  TEST_CASE("takes the tuned kernels where nothing is asked") {
    const auto automatic = choose_backend("auto");

    CHECK(automatic.name == "cpu");
    CHECK(automatic.implementation == choose_backend("cpu").implementation);
    CHECK(choose_backend("reference").implementation == &reference_backend());
  }

  TEST_CASE("names the option where this build has no OpenBLAS") {
    const json report = json::parse(run_program({"doctor", "--json"}).output);
    if (report["parts"]["openblas"]) return;

    const auto result =
        run_program({"train", data_file("iris.csv"), "--backend", "openblas"});

    CHECK(result.exit_code == 7);
    CHECK(result.messages ==
          "mlp: error: --backend: the backend openblas is not part of this "
          "build; configure with -DMLP_BUILD_OPENBLAS=ON\n");
    CHECK(report["openblas"]["problem"] == "not part of this build");
  }

  TEST_CASE("sets the environment of OpenBLAS unless the user has") {
    ::setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
    ::unsetenv("OPENBLAS_NUM_THREADS");

    cli::prepare_openblas_environment();

    CHECK(std::string(std::getenv("OPENBLAS_CORETYPE")) == "Nehalem");
    CHECK(std::string(std::getenv("OPENBLAS_NUM_THREADS")) == "1");
    ::unsetenv("OPENBLAS_CORETYPE");
  }

  TEST_CASE("says in JSON who trained and who measured") {
    const ScratchFolder folder;
    const std::string model = folder / "m.json";

    const json fit = train({"--backend", "reference", "-o", model});
    const auto metrics = run_program({"evaluate", model, data_file("iris.csv"),
                                      "--json", "--backend", "reference"});

    CHECK(fit["backend"] == "reference");
    CHECK(fit["kernels"] == "reference");
    CHECK(fit["device"] == "cpu");
    CHECK(fit["precision"] == "float64");
    CHECK(json::parse(metrics.output)["backend"] == "reference");
    CHECK(json::parse(metrics.output)["device"] == "cpu");
    CHECK(train({})["backend"] == "cpu");
  }

  TEST_CASE("says who predicts where more was asked for") {
    const ScratchFolder folder;
    const std::string model = folder / "m.json";
    train({"-o", model});

    const auto result = run_program({"predict", model, data_file("iris.csv"),
                                     "--backend", "reference", "-v", "--label",
                                     "species", "-o", folder / "p.csv"});

    CHECK(
        result.messages.find("mlp: note: computing with the backend reference, "
                             "kernels reference\n") == 0);
  }

  TEST_CASE("follows the same path with every backend") {
    const json expected = train({"--backend", "reference"});
    check_same_path(train({}), expected, kPathTolerance);
    if (!is_openblas_there()) return;

    const json loaded = train({"--backend", "openblas"});
    const json single =
        train({"--backend", "openblas", "--precision", "float32"});

    CHECK(loaded["backend"] == "openblas");
    CHECK(loaded["kernels"] == "OpenBLAS");
    check_same_path(loaded, expected, kPathTolerance);
    CHECK(single["precision"] == "float32");
    CHECK(single["objectiveHistory"] != expected["objectiveHistory"]);
    check_same_path(single, expected, kSinglePathTolerance);
  }

  TEST_CASE("loads no BLAS, MPI or Gloo unless it is asked for one") {
    for (const char* const backend : {"auto", "cpu", "reference"}) {
      const std::string files = mapped_files(backend);

      CHECK(files.find(MLP_PROGRAM) != files.npos);
      for (const char* const library :
           {"blas", "libmpi", "libgloo", "libmlp_"}) {
        CAPTURE(library);
        CHECK(files.find(library) == files.npos);
      }
    }
    if (!is_openblas_there()) return;
    CHECK(mapped_files("openblas").find("libopenblas") != std::string::npos);
  }
}

}  // namespace mlp::test
