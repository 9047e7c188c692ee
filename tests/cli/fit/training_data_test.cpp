// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/training_data.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../../cli/flags/global_options.hpp"
#include "../../../cli/train/train_flags.hpp"
#include "../../../core/error.hpp"
#include "../../../datasets/random_split.hpp"
#include "../../../mlp/model_json.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::cli {

namespace {

using Names = std::vector<std::string>;
using test::ScratchFolder;

/// Reads the data by flags, which leave the features as they are unless they say
/// otherwise.
TrainingData load(Names words) {
  const bool is_standardizing =
      std::find(words.begin(), words.end(), "--standardize") != words.end();
  if (!is_standardizing) words.emplace_back("--no-standardize");
  words.insert(words.begin(), "train");
  words.emplace_back("-q");
  const CommandLine line = parse_command_line(std::move(words));
  const TrainOptions options = read_train_options(line);
  const GlobalOptions global = read_global_options(line);
  TrainingData data = read_training_data(options, global);
  prepare_training_data(data, options, global);
  return data;
}

/// The parts that randomSplit makes of rows without a label.
std::vector<datasets::Dataset> split(const datasets::Dataset& data,
                                     const std::vector<double>& weights,
                                     std::int64_t seed,
                                     SeedHash era = SeedHash::kSpark3) {
  return datasets::random_split(data, weights, seed, era);
}

/// Two columns; the second is the label: 0 and 1 in turns.
std::string write_rows(const ScratchFolder& folder, int num_rows) {
  std::string text = "x,label\n";
  for (int i = 0; i < num_rows; ++i) {
    text += std::to_string(i * 7 % 41) + ',' + std::to_string(i % 2) + '\n';
  }
  return folder.write("rows.csv", text);
}

/// Rows i whose feature is i * i, but missing for every fourth row.
std::string write_squares(const ScratchFolder& folder) {
  std::string text = "x,label\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 4 == 0 ? "?" : std::to_string(i * i)) + ',' +
            std::to_string(i % 2) + '\n';
  }
  return folder.write("squares.csv", text);
}

/// The mean of the squares that are not missing.
double mean_of_squares(const datasets::Dataset& data) {
  double sum = 0.0;
  double count = 0.0;
  for (const Index line : data.lines) {
    const Index i = line - 2;  // below the header
    if (i % 4 == 0) continue;
    sum += static_cast<double>(i * i);
    count += 1.0;
  }
  return sum / count;
}

/// A model of one feature whose classes have names.
std::string write_model(const ScratchFolder& folder, const Names& names,
                        double mean, double deviation) {
  Model model(Topology({1, 2}), Vector::Zero(4));
  model.set_label_names(names);
  model.set_scaler({Vector::Constant(1, mean), Vector::Constant(1, deviation)});
  datasets::Dataset data;
  data.features = Matrix::Zero(1, 1);
  save_model(folder / "model.json",
             make_model_document(std::move(model), {}, {}, data));
  return folder / "model.json";
}

}  // namespace

TEST_SUITE("cli/fit/training_data") {
  TEST_CASE("gives both parts the same share of each class on request") {
    const ScratchFolder folder;
    const std::string rows = write_rows(folder, 40);

    const TrainingData data =
        load({rows, "--split", "3,1", "--validation", "0.2", "--stratify"});

    CHECK(data.test->labels.sum() == 5.0);
    CHECK(data.test->num_instances() == 10);
    CHECK(data.validation->labels.sum() == 3.0);
    CHECK(data.validation->num_instances() == 6);
    CHECK(data.train.num_instances() == 24);
  }

  TEST_CASE("scales validation rows by the mean of the training rows") {
    const ScratchFolder folder;
    const std::string train = folder.write("t.csv", "x,y\n1,0\n3,1\n");
    const std::string other = folder.write("v.csv", "x,y\n2,0\n6,1\n");

    const TrainingData data =
        load({train, "--standardize", "--validation", other});

    // The mean is 2 and the deviation with divisor 1 the root of 2.
    const double root = std::sqrt(2.0);
    CHECK(data.train.features.isApprox(Matrix{{-1.0 / root, 1.0 / root}}));
    CHECK(data.validation->features.isApprox(Matrix{{0.0, 4.0 / root}}));
    CHECK(data.scaler->mean == Vector::Constant(1, 2.0));
    CHECK(data.scaler->standard_deviation == Vector::Constant(1, root));
    CHECK(data.first_instances.features == Matrix{{1.0, 3.0}});
  }

  TEST_CASE("a missing value of a validation row has the mean of the others") {
    const ScratchFolder folder;
    const std::string train = folder.write("t.csv", "x,z,y\n1,5,0\n3,6,1\n");
    const std::string other = folder.write("v.csv", "x,z,y\n,5,0\n6,6,1\n");

    const TrainingData data =
        load({train, "--standardize", "--validation", other});

    // The mean of x is 2, which the scaler makes 0.
    CHECK(data.validation->features(0, 0) == 0.0);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(load({train, "--validation", other})),
        doctest::Contains("expected a number in column 'x'"), DataError);
  }

  TEST_CASE("divides all rows by --scale and hands the scaling on") {
    const ScratchFolder folder;
    const std::string train = folder.write("t.csv", "x,y\n1,0\n3,1\n");
    const std::string other = folder.write("v.csv", "x,y\n2,0\n6,1\n");

    const TrainingData data =
        load({train, "--scale", "4", "--validation", other});

    CHECK(data.train.features == Matrix{{0.25, 0.75}});
    CHECK(data.validation->features == Matrix{{0.5, 1.5}});
    CHECK(data.scaler->mean == Vector::Zero(1));
    CHECK(data.scaler->standard_deviation == Vector::Constant(1, 4.0));
  }

  TEST_CASE("scales the test rows of --split as the training rows") {
    const ScratchFolder folder;
    const std::string rows = write_rows(folder, 40);
    const Names flags{rows, "--split", "0.5,0.5", "--seed", "3"};
    const TrainingData plain = load(flags);

    const TrainingData scaled =
        load({rows, "--split", "0.5,0.5", "--seed", "3", "--scale", "2"});
    const TrainingData standard =
        load({rows, "--split", "0.5,0.5", "--seed", "3", "--standardize",
              "--effort", "quick"});

    CHECK(scaled.test->features == plain.test->features / 2.0);
    Matrix expected = plain.test->features;
    datasets::StandardScaler::fit(plain.train.features).apply(expected);
    CHECK(standard.test->features == expected);
  }

  TEST_CASE("finds the columns of a validation file by their names") {
    const ScratchFolder folder;
    const std::string train = folder.write("t.csv", "a,b,y\n1,2,no\n3,4,yes\n");
    const std::string other =
        folder.write("v.csv", "b,y,a\n20,yes,10\n40,no,30\n");

    const TrainingData data =
        load({train, "--label", "y", "--validation", other});

    CHECK(data.validation->features == Matrix{{10.0, 30.0}, {20.0, 40.0}});
    CHECK(data.validation->labels == Eigen::Vector2d(1.0, 0.0));
  }

  TEST_CASE("gives labels of a validation file the classes of the training") {
    const ScratchFolder folder;
    const std::string train =
        folder.write("t.csv", "x,y\n1,red\n2,red\n3,blue\n");
    const std::string other =
        folder.write("v.csv", "x,y\n1,blue\n2,blue\n3,red\n");

    const TrainingData data = load({train, "--validation", other});

    CHECK(data.classes.names == Names{"red", "blue"});
    CHECK(data.train.labels == Eigen::Vector3d(0.0, 0.0, 1.0));
    CHECK(data.validation->labels == Eigen::Vector3d(1.0, 1.0, 0.0));
    CHECK(data.classes.count == 2);
  }

  TEST_CASE("refuses texts as the labels of a regression in every file") {
    const ScratchFolder folder;
    const std::string train = folder.write("t.csv", "x,y\n1,2\n2,3\n");
    const std::string other = folder.write("v.csv", "x,y\n1,low\n2,high\n");
    const Names flags{"--task", "regression", "--layers", "1,1"};

    Names alone = flags;
    alone.insert(alone.begin(), other);
    Names beside = flags;
    beside.insert(beside.begin(), {train, "--validation", other});

    CHECK_THROWS_AS(load(alone), DataError);
    CHECK_THROWS_AS(load(beside), DataError);
  }

  TEST_CASE("fills in the mean of the rows that are left to train on") {
    const ScratchFolder folder;

    const TrainingData data =
        load({write_squares(folder), "--missing", "mean", "--split", "0.5,0.5",
              "--validation", "0.3", "--seed", "5"});

    const double mean = data.input_columns.at(0).missing_value.value();
    CHECK(std::abs(mean - mean_of_squares(data.train)) < 1e-9 * mean);
    for (const auto* part : {&data.train, &*data.test, &*data.validation}) {
      for (Index i = 0; i < part->num_instances(); ++i) {
        const Index at = part->lines[static_cast<std::size_t>(i)] - 2;
        CHECK(part->features(0, i) ==
              (at % 4 == 0 ? mean : static_cast<double>(at * at)));
      }
    }
  }

  TEST_CASE("standardises numbers and leaves indicators as they are") {
    const ScratchFolder folder;
    const std::string rows = folder.write(
        "rows.csv",
        "x,color,label\n1,red,0\n?,red,1\n3,red,1\n5,?,0\n7,?,0\n9,?,1\n");
    const Names words{"train", rows, "--effort", "quick", "-q"};
    const CommandLine line = parse_command_line(words);
    const TrainOptions options = read_train_options(line);
    const GlobalOptions global = read_global_options(line);
    TrainingData data = read_training_data(options, global);

    prepare_training_data(data, options, global);

    CHECK(data.train.features.bottomRows(3) ==
          Matrix{{0, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1}, {1, 1, 1, 0, 0, 0}});
    CHECK(data.scaler->mean == Vector{{5, 0, 0, 0}});
    CHECK(data.scaler->standard_deviation.tail(3) == Vector::Ones(3));
  }

  TEST_CASE("encodes the file of --validation as the rows to train on") {
    const ScratchFolder folder;
    const std::string rows =
        folder.write("rows.csv", "color,x,label\nred,1,0\nblue,2,1\nred,3,1\n");
    const std::string other =
        folder.write("other.csv", "x,label,color\n5,1,blue\n6,0,pink\n");
    const Names flags{rows, "--one-hot", "auto", "--validation", other};
    Names ignoring = flags;
    ignoring.insert(ignoring.end(), {"--unknown", "ignore"});
    Names refusing = flags;
    refusing.insert(refusing.end(), {"--unknown", "refuse"});

    const TrainingData data = load(ignoring);

    CHECK(data.train.features == Matrix{{0, 1, 0}, {1, 0, 1}, {1, 2, 3}});
    CHECK(data.validation->features == Matrix{{1, 0}, {0, 0}, {5, 6}});
    CHECK(data.first_instances.features.rows() == 3);
    CHECK_THROWS_WITH_AS(
        load(refusing),
        (other +
         ":3:5: unknown category 'pink' in column 'color'; expected one "
         "of 'blue', 'red'; --unknown ignore takes it as none of them")
            .c_str(),
        DataError);
  }

  TEST_CASE("splits test rows off first and validation rows off the rest") {
    const ScratchFolder folder;
    const std::string rows = write_rows(folder, 60);
    const TrainingData whole = load({rows});

    const TrainingData data = load(
        {rows, "--split", "0.7,0.3", "--validation", "0.25", "--seed", "9"});

    const auto outer = split(whole.train, {0.7, 0.3}, 9);
    const auto inner = split(outer[0], {0.75, 0.25}, 10);
    CHECK(data.test->features == outer[1].features);
    CHECK(data.train.features == inner[0].features);
    CHECK(data.train.labels == inner[0].labels);
    CHECK(data.validation->features == inner[1].features);
    CHECK(data.validation->labels == inner[1].labels);
    CHECK(data.validation->num_instances() > 5);
  }

  TEST_CASE("splits as the version of Spark does that --seed-hash names") {
    const ScratchFolder folder;
    const std::string rows = write_rows(folder, 60);
    const TrainingData whole = load({rows});

    const TrainingData data =
        load({rows, "--split", "0.5,0.5", "--seed", "4", "--seed-hash", "2"});

    const auto expected = split(whole.train, {0.5, 0.5}, 4, SeedHash::kSpark2);
    CHECK(data.test->features == expected[1].features);
    CHECK(data.test->features !=
          load({rows, "--split", "0.5,0.5", "--seed", "4"}).test->features);
  }

  TEST_CASE("keeps the classes of a model whose labels were as frequent") {
    const ScratchFolder folder;
    const std::string model = write_model(folder, {"common", "rare"}, 1.0, 2.0);
    // Here the model's second class is the more frequent one.
    const std::string rows =
        folder.write("t.csv", "x,y\n1,rare\n5,rare\n9,common\n");

    const TrainingData data = load({rows, "--warm-start", model});

    CHECK(data.classes.names == Names{"common", "rare"});
    CHECK(data.train.labels == Eigen::Vector3d(1.0, 1.0, 0.0));
    CHECK(data.train.features == Matrix{{0.0, 2.0, 4.0}});
    CHECK(data.scaler->mean == Vector::Constant(1, 1.0));
  }

  TEST_CASE("numbers classes anew if the model does not know a label") {
    const ScratchFolder folder;
    const std::string model = write_model(folder, {"old", "rare"}, 1.0, 2.0);
    const std::string rows =
        folder.write("t.csv", "x,y\n1,rare\n5,rare\n9,new\n");

    const TrainingData data = load({rows, "--warm-start", model});

    CHECK(data.classes.names == Names{"rare", "new"});
    CHECK(data.train.labels == Eigen::Vector3d(0.0, 0.0, 1.0));
  }

  TEST_CASE("prefers a flag to the scaling of the model to start from") {
    const ScratchFolder folder;
    const std::string model = write_model(folder, {}, 1.0, 2.0);
    const std::string rows = folder.write("t.csv", "x,y\n1,0\n5,1\n");

    const TrainingData data =
        load({rows, "--warm-start", model, "--scale", "10"});

    CHECK(data.train.features == Matrix{{0.1, 0.5}});
    CHECK(data.scaler->mean == Vector::Zero(1));
  }

  TEST_CASE("takes label, weights and partitions from where flags say") {
    const ScratchFolder folder;
    const std::string rows =
        folder.write("t.csv", "w,kind,x\n0.5,1,7\n2,0,8\n1,1,9\n");

    const TrainingData data = load(
        {rows, "--label", "kind", "--weight-col", "w", "--partitions", "2"});

    CHECK(data.train.features == Matrix{{7.0, 8.0, 9.0}});
    CHECK(data.train.labels == Eigen::Vector3d(1.0, 0.0, 1.0));
    CHECK(data.train.weights == Eigen::Vector3d(0.5, 2.0, 1.0));
    CHECK(data.train.partition_sizes.size() == 2);
    CHECK(load({rows, "--label", "1", "--partition-sizes", "2,0,1"})
              .train.partition_sizes == std::vector<Index>{2, 0, 1});
    CHECK(load({rows, "--label", "-1", "--label-kind", "index"}).train.labels ==
          Eigen::Vector3d(7.0, 8.0, 9.0));
  }

  TEST_CASE("takes labels from another file, which has no features") {
    const ScratchFolder folder;
    const std::string rows = folder.write("t.csv", "a,b\n1,2\n3,4\n");
    const std::string labels =
        folder.write("l.idx", std::string("\0\0\x08\x01\0\0\0\x02\x01\0", 10));

    const TrainingData data = load({rows, "--labels", labels});

    CHECK(data.train.features == Matrix{{1.0, 3.0}, {2.0, 4.0}});
    CHECK(data.train.labels == Eigen::Vector2d(1.0, 0.0));
  }
}

}  // namespace mlp::cli
