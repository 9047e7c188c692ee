// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/training_fingerprint.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "../../../core/version.hpp"
#include "../../../mlp/checkpoint/checkpoint_file.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../spark_problems.hpp"

namespace mlp {

namespace {

using datasets::Dataset;
using testing::make_xor;

Params make_params() {
  Params params;
  params.layers = {2, 3, 2};
  return params;
}

std::string fingerprint(const Params& params, const Dataset& data = make_xor(),
                        const FitOptions& options = {}) {
  return training_fingerprint(params, dataset_digest(data), options);
}

Model model_of(double weight) {
  return Model(Topology({2, 3, 2}), Vector::Constant(17, weight));
}

/// The fingerprint after one change of the hyper-parameters.
std::string changed(const std::function<void(Params&)>& change) {
  Params params = make_params();
  change(params);
  return fingerprint(params);
}

}  // namespace

TEST_SUITE("mlp/training/training_fingerprint") {
  TEST_CASE("states a line of name and value each") {
    const std::string lines = fingerprint(make_params());

    CHECK(lines.starts_with("version " + std::string(kVersion) + '\n'));
    CHECK(lines.find("\nlayers [2, 3, 2]\n") != lines.npos);
    CHECK(lines.find("\nsolver \"l-bfgs\"\n") != lines.npos);
    CHECK(lines.find("\nbackend reference\n") != lines.npos);
    CHECK(lines.find("\nprecision float64\n") != lines.npos);
    CHECK(lines.find("\nvalidation none\n") != lines.npos);
    CHECK(lines.find("\nwarmStart none\n") != lines.npos);
  }

  TEST_CASE("ends with the form of the loss where Spark's is not used") {
    const std::string line = "\nlikelihood logSumExp\n";

    CHECK_FALSE(fingerprint(make_params()).ends_with(line));
    CHECK(changed([](Params& p) { p.solver = Solver::kAdam; }).ends_with(line));
    CHECK(changed([](Params& p) {
            p.activation = {Activation::of<activations::Relu>()};
          }).ends_with(line));
  }

  TEST_CASE("lists the names of the columns, each on one line") {
    Dataset data = make_xor();
    CHECK(column_facts(data) == "columns without names\nlabel \n");

    data.feature_names = {"a", "b\nc"};
    data.label_name = "y";
    CHECK(column_facts(data) ==
          "columns with names\nfeature 0 a\nfeature 1 b c\nlabel y\n");
  }

  TEST_CASE("lets a training be prolonged and use other threads") {
    FitOptions options;
    options.num_threads = 7;

    CHECK(changed([](Params& p) { p.max_iter = 7; }) ==
          fingerprint(make_params()));
    CHECK(changed([](Params& p) { p.patience = 7; }) ==
          fingerprint(make_params()));
    CHECK(fingerprint(make_params(), make_xor(), options) ==
          fingerprint(make_params()));
  }

  TEST_CASE("differs with every other hyper-parameter") {
    std::set<std::string> fingerprints{fingerprint(make_params())};
    std::size_t num_params = 1;
    for (const ParamInfo& info : kParamTable) {
      if (info.name == "maxIter" || info.name == "patience") continue;
      if (info.name == "initialWeights") continue;
      CAPTURE(std::string(info.name));
      ++num_params;

      fingerprints.insert(changed(
          [&](Params& params) { set_param(params, info, info.example); }));

      CHECK(fingerprints.size() == num_params);
    }
  }

  TEST_CASE("differs with initial weights and the era of the seed") {
    CHECK(changed([](Params& p) { p.initial_weights = Vector::Zero(17); }) !=
          fingerprint(make_params()));
    CHECK(changed([](Params& p) { p.seed_hash = SeedHash::kSpark2; }) !=
          fingerprint(make_params()));
  }

  TEST_CASE("differs with any number of the data") {
    std::vector<Dataset> variants(5, make_xor());
    variants[1].features(1, 3) += 1e-9;
    variants[2].labels[0] = 1.0;
    variants[3].weights = Vector::Ones(4);
    variants[4].partition_sizes = {1, 3};
    std::set<std::string> fingerprints;

    for (const Dataset& data : variants) {
      fingerprints.insert(fingerprint(make_params(), data));
    }

    CHECK(fingerprints.size() == variants.size());
  }

  TEST_CASE("differs with the validation set, the model and the precision") {
    const Dataset validation = make_xor();
    const Model model = model_of(1.0);
    const Model other = model_of(2.0);
    std::vector<FitOptions> variants(5);
    variants[1].validation = &validation;
    variants[2].warm_start = &model;
    variants[3].warm_start = &other;
    variants[4].precision = Precision::kFloat32;
    std::set<std::string> fingerprints;

    for (const FitOptions& options : variants) {
      fingerprints.insert(fingerprint(make_params(), make_xor(), options));
    }

    CHECK(fingerprints.size() == variants.size());
  }

  TEST_CASE("differs with reproducible sums, but not with how ranks send") {
    FitOptions reproducible;
    reproducible.distribution.is_reproducible = true;
    FitOptions tuned;
    tuned.distribution.is_autotuned = true;
    tuned.distribution.partition_sizes = {2, 2};

    CHECK(fingerprint(make_params(), make_xor(), reproducible) !=
          fingerprint(make_params()));
    CHECK(fingerprint(make_params(), make_xor(), reproducible)
              .find("\nreproducible true\n") != std::string::npos);
    CHECK(fingerprint(make_params(), make_xor(), tuned) ==
          fingerprint(make_params()));
  }

  TEST_CASE("differs with the running statistics of the model") {
    const Topology topology({2, 3, 2}, {}, {HiddenLayer{{}, false, true, 0.0}});
    const Model model(topology, Vector::Zero(topology.num_weights()));
    Model moved = model;
    moved.set_statistics(Vector::Constant(6, 2.0));
    FitOptions options;
    FitOptions moved_options;
    options.warm_start = &model;
    moved_options.warm_start = &moved;

    CHECK(fingerprint(make_params(), make_xor(), options) !=
          fingerprint(make_params(), make_xor(), moved_options));
  }

  TEST_CASE("lets a checkpoint name what differs") {
    Params params = make_params();
    params.seed = 4;
    const std::string saved = fingerprint(params);
    params.seed = 5;

    CHECK_THROWS_WITH_AS(
        take_state({saved, "state"}, fingerprint(params), "run"),
        "run: belongs to another training: it was written with 'seed 4', and "
        "this training has 'seed 5'; remove it to start from the beginning",
        ModelError);
  }
}

}  // namespace mlp
