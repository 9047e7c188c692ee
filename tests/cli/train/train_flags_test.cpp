// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/train_flags.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/model_json.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

namespace {

TrainOptions read(const std::string& flags) {
  std::vector<std::string> words = test::split_words("train data.csv" + flags);
  return read_train_options(parse_command_line(std::move(words)));
}

/// A model whose network differs from the default in every flag.
std::string write_model(const test::ScratchFolder& folder) {
  Params params;
  params.layers = {4, 6, 6, 3};
  params.activation = {*Activation::find("relu"), *Activation::find("tanh")};
  params.dropout = {0.5, 0.25};
  params.residual = true;
  params.batch_norm = true;
  params.label_smoothing = 0.125;
  params.solver = Solver::kAdam;
  const Topology topology = topology_of(params);
  Model model(topology, Vector::Zero(topology.num_weights()));
  datasets::Dataset data;
  data.features = Matrix::Zero(4, 1);
  save_model(folder / "model.json",
             make_model_document(std::move(model), params, {}, data));
  return folder / "model.json";
}

}  // namespace

TEST_SUITE("cli/train/train_flags") {
  TEST_CASE("is empty if only the data are given") {
    const TrainOptions options = read("");

    CHECK(options.data == std::vector<std::string>{"data.csv"});
    CHECK(options.given_data == std::vector<std::string>{"data.csv"});
    CHECK(options.label.empty());
    CHECK(options.labels_file.empty());
    CHECK(options.weight.empty());
    CHECK(options.num_partitions == 1);
    CHECK(options.partition_sizes.empty());
    CHECK(options.split.empty());
    CHECK(options.precision == Precision::kFloat64);
    CHECK(options.validation_share == 0.0);
    CHECK(options.validation_file.empty());
    CHECK(options.params.seed_hash == SeedHash::kSpark3);
    CHECK(options.checkpoint.file.empty());
    CHECK(options.checkpoint.every_seconds == 30.0);
    CHECK(options.preset == Preset::kModern);
    CHECK(options.is_standardizing);
    CHECK_FALSE(options.is_standardizing_labels);
    CHECK(options.scale == 1.0);
    CHECK(options.model_file.empty());
  }

  TEST_CASE("reads where data are and what their columns mean") {
    CHECK(read(" --label kind").label == "kind");
    CHECK(read(" --labels l.npy").labels_file == "l.npy");
    CHECK(read(" --weight-col w").weight == "w");
    CHECK(read(" --partitions 7").num_partitions == 7);
    CHECK_FALSE(read(" --partitions 7").partitions_are_files);
    CHECK(read(" --partitions files").partitions_are_files);
    CHECK(read(" --partition-sizes 3,0,4").partition_sizes ==
          std::vector<Index>{3, 0, 4});
    CHECK(read(" --split 0.6,0.4").split == std::vector<double>{0.6, 0.4});
    CHECK(read(" --standardize").is_standardizing);
    CHECK(read(" --scale 2.5").scale == 2.5);
    CHECK(read(" -o m.json").model_file == "m.json");
  }

  TEST_CASE("reads how to train") {
    CHECK(read(" --precision float32").precision == Precision::kFloat32);
    CHECK(read(" --seed-hash 2").params.seed_hash == SeedHash::kSpark2);
    CHECK(read(" --task regression --layers 2,1").params.task ==
          Task::kRegression);
    CHECK(read(" --validation 0.2 --patience 4").params.patience == 4);
  }

  TEST_CASE("tells a share of the rows from a validation file") {
    CHECK(read(" --validation 0.25").validation_share == 0.25);
    CHECK(read(" --validation 0.25").validation_file.empty());
    CHECK(read(" --validation 0.25.csv").validation_share == 0.0);
    CHECK(read(" --validation 0.25.csv").validation_file == "0.25.csv");
  }

  TEST_CASE("reads when to write a checkpoint") {
    const auto every = [](const std::string& text) {
      return read(" --checkpoint state --checkpoint-every " + text).checkpoint;
    };

    CHECK(every("5s").every_seconds == 5.0);
    CHECK(every("2.5m").every_seconds == 150.0);
    CHECK(every("2h").every_seconds == 7200.0);
    CHECK(every("2h").every_iterations == 0);
    CHECK(every("12").every_iterations == 12);
    CHECK(every("12").file == "state");
    CHECK_FALSE(every("12").is_resuming);
    CHECK(read(" --checkpoint state --resume").checkpoint.is_resuming);
  }

  TEST_CASE("takes the network of the model to start from") {
    const test::ScratchFolder folder;
    const std::string model = write_model(folder);

    const TrainOptions options = read(" --solver adam --warm-start " + model);

    CHECK(options.warm_start_file == model);
    CHECK(options.params.layers == std::vector<Index>{4, 6, 6, 3});
    CHECK(options.params.activation ==
          std::vector{*Activation::find("relu"), *Activation::find("tanh")});
    CHECK(options.params.dropout == std::vector<double>{0.5, 0.25});
    CHECK(options.params.residual);
    CHECK(options.params.batch_norm);
    CHECK(options.params.label_smoothing == 0.125);
  }

  TEST_CASE("takes the task of the model to start from") {
    const test::ScratchFolder folder;
    datasets::Dataset data;
    data.features = Matrix::Zero(4, 1);
    Model model(Topology({4, 1}, LossFunction(Loss::kSquaredError)),
                Vector::Zero(5));
    save_model(folder / "m.json",
               make_model_document(std::move(model), {}, {}, data));

    const TrainOptions options = read(" --warm-start " + (folder / "m.json"));

    CHECK(options.params.task == Task::kRegression);
    CHECK(options.params.layers == std::vector<Index>{4, 1});
  }

  TEST_CASE("keeps the layers that a flag gives beside initial weights") {
    const test::ScratchFolder folder;
    datasets::Dataset data;
    data.features = Matrix::Zero(4, 1);
    save_model(folder / "m.json",
               make_model_document(Model(Topology({4, 3}), Vector::Zero(15)),
                                   {}, {}, data));

    CHECK_THROWS_WITH_AS(
        read(" --layers 4,2 --initial-weights " + (folder / "m.json")),
        "--initial-weights: initialWeights must be 10 numbers for layers "
        "[4, 2]; got 15",
        ParamError);
  }

  TEST_CASE("takes flags rather than the model to start from") {
    const test::ScratchFolder folder;
    const std::string model = write_model(folder);

    const TrainOptions options = read(
        " --solver adam --layers 4,6,6,2 --activation elu --dropout 0.125 "
        "--label-smoothing 0 --warm-start " +
        model);

    CHECK(options.params.layers == std::vector<Index>{4, 6, 6, 2});
    CHECK(options.params.activation == std::vector{*Activation::find("elu")});
    CHECK(options.params.dropout == std::vector<double>{0.125});
    CHECK(options.params.label_smoothing == 0.0);
    CHECK(options.params.residual);
  }

  TEST_CASE("takes initial weights and the layers that their model has") {
    const test::ScratchFolder folder;
    Vector weights = Vector::LinSpaced(15, -1.0, 1.0);
    datasets::Dataset data;
    data.features = Matrix::Zero(4, 1);
    save_model(
        folder / "m.json",
        make_model_document(Model(Topology({4, 3}), weights), {}, {}, data));

    const TrainOptions options =
        read(" --initial-weights " + (folder / "m.json"));

    CHECK(options.params.initial_weights == weights);
    CHECK(options.params.layers == std::vector<Index>{4, 3});
  }
}

}  // namespace mlp::cli
