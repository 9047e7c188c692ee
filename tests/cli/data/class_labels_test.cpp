// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/data/class_labels.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../cli/flags/command_line.hpp"
#include "../../../cli/train/train_flags.hpp"
#include "../../../core/error.hpp"
#include "../../../mlp/model_json.hpp"
#include "../../thrown_message.hpp"
#include "../has_gloo.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using Names = std::vector<std::string>;
using test::run_program;
using test::ScratchFolder;

TrainOptions options_of(Names words) {
  words.insert(words.begin(), {"train", "f.csv"});
  return read_train_options(parse_command_line(std::move(words)));
}

/// Labels and their classes.
struct Indexed {
  datasets::Dataset data;
  Classes classes;
};

/// What becomes of labels with some flags.
Indexed index(const Vector& labels, Names flags) {
  const TrainOptions options = options_of(std::move(flags));
  datasets::Dataset data;
  data.source = "f.csv";
  data.features = Matrix::Zero(1, labels.size());
  data.labels = labels;
  Console quiet;
  quiet.is_quiet = true;
  Classes classes =
      index_labels(data, totals_of(data, options.params.task), options, quiet);
  return {std::move(data), std::move(classes)};
}

/// The error about labels with some flags.
std::string refusal(const Vector& labels, Names flags) {
  return test::thrown_message<DataError>(
      [&] { return index(labels, std::move(flags)); });
}

}  // namespace

TEST_SUITE("cli/data/class_labels") {
  TEST_CASE("keeps labels that Spark accepts for the layers") {
    const Vector labels{{2, 0, 2}};

    const auto [data, classes] = index(labels, {"--layers", "1,4"});

    CHECK(data.labels == labels);
    CHECK(classes.names.empty());
    CHECK(classes.count == 3);
  }

  TEST_CASE("takes other integers as names, the most frequent first") {
    const auto [data, classes] = index(Vector{{-1, 1, 1}}, {"--layers", "1,2"});

    CHECK(classes.names == Names{"1", "-1"});
    CHECK(data.labels == Vector{{1, 0, 0}});
    CHECK(classes.count == 2);
    CHECK(index(Vector{{2001, 1999, 1999}}, {}).classes.names ==
          Names{"1999", "2001"});
  }

  TEST_CASE("takes all integers from 0 as indices without layers") {
    CHECK(index(Vector{{1, 0, 2}}, {}).classes.names.empty());
    CHECK(index(Vector{{1, 3, 2}}, {}).classes.names == Names{"1", "2", "3"});
    CHECK(index(Vector{{0, 2}}, {}).classes.names == Names{"0", "2"});
  }

  TEST_CASE("does what --label-kind says") {
    CHECK(index(Vector{{0, 2}}, {"--label-kind", "index"}).classes.count == 3);
    CHECK(index(Vector{{1, 0, 0}}, {"--label-kind", "name"}).classes.names ==
          Names{"0", "1"});
    CHECK(index(Vector{{1, 0, 1}}, {"--label-kind", "name"}).classes.names ==
          Names{"1", "0"});
    CHECK(refusal(Vector{{-1, 1}}, {"--label-kind", "index"}) ==
          "f.csv: labels must be integers from 0 to 1048575; instance 0 has "
          "label -1; add --task regression to predict numbers, or --label-kind "
          "name to make each of the 2 different integers a class");
  }

  TEST_CASE("refuses more integers than the output layer has units") {
    CHECK(refusal(Vector{{7, 8, 9}}, {"--layers", "1,2"}) ==
          "f.csv: labels must be the integers 0..1 for layers [1, 2]; instance "
          "0 has label 7; add --task regression to predict numbers, or "
          "--label-kind name to make each of the 3 different integers a class "
          "and end --layers with 3");
    CHECK(refusal(Vector{{7, 8, 9}},
                  {"--layers", "1,2", "--label-kind", "name"}) ==
          "f.csv: expected at most 2 classes for layers [1, 2], got 3: '7', "
          "'8', '9'; end --layers with 3");
  }

  TEST_CASE("never takes fractions as classes") {
    CHECK(refusal(Vector{{0.5, 1}}, {"--layers", "1,2"}) ==
          "f.csv: labels must be the integers 0..1 for layers [1, 2]; instance "
          "0 has label 0.5; add --task regression to predict numbers");
    for (const char* const kind : {"auto", "name"}) {
      CHECK(
          refusal(Vector{{1, 2.5}}, {"--label-kind", kind}) ==
          "f.csv: labels must be integers below 2^53 or texts for a "
          "classifier; "
          "instance 1 has label 2.5; add --task regression to predict numbers");
    }
  }

  TEST_CASE("refuses integers that are rather quantities without layers") {
    Vector prices = Vector::LinSpaced(11, 100, 200);

    CHECK(refusal(prices, {}) ==
          "f.csv: labels must be 0, 1, 2, ... or few different integers to be "
          "classes; got 11 different integers from 100 to 200 in 11 instances; "
          "add --task regression to predict numbers, or --task classification "
          "to make each of the 11 different integers a class");
    CHECK(index(prices.replicate(2, 1), {}).classes.count == 11);
    CHECK(index(prices, {"--label-kind", "name"}).classes.count == 11);
    CHECK(index(prices, {"--task", "classification"}).classes.count == 11);
    CHECK(index(prices, {"--task", "regression"}).data.labels == prices);
  }

  TEST_CASE("keeps the names of the model to start from") {
    const ScratchFolder folder;
    const std::string rows = folder.write("t.csv", "x,y\n1,1\n2,2\n3,2\n4,3\n");
    const std::string other = folder.write("o.csv", "x,y\n1,1\n2,1\n3,2\n");
    const std::string model = folder / "m.json";
    const std::string next = folder / "n.json";
    run_program({"train", rows, "--layers", "1,3", "-q", "-o", model});

    // 1 and 2 are also class indices; the model knows them as names.
    const auto result =
        run_program({"train", other, "--warm-start", model, "-o", next, "-q"});

    CHECK(result.exit_code == 0);
    CHECK(load_model(model).model.label_names() == Names{"2", "1", "3"});
    CHECK(load_model(next).model.label_names() == Names{"2", "1", "3"});
  }

  TEST_CASE("refuses names if the model to start from has indices") {
    const ScratchFolder folder;
    const std::string rows = folder.write("t.csv", "x,y\n1,0\n2,1\n");
    const std::string other = folder.write("o.csv", "x,y\n1,1\n2,2\n");
    const std::string model = folder / "m.json";
    run_program({"train", rows, "--layers", "1,2", "-q", "-o", model});

    const auto result =
        run_program({"train", other, "--warm-start", model, "-q"});

    CHECK(result.exit_code == 3);
    CHECK(result.messages.find("labels must be the integers 0..1") !=
          std::string::npos);
  }

  TEST_CASE("numbers the names of all ranks together") {
    if (!test::has_gloo()) return;
    const ScratchFolder folder;
    folder.write("part-0.csv", "x,y\n1,0\n2,1\n");
    folder.write("part-1.csv", "x,y\n3,-1\n4,-1\n5,1\n6,-1\n");
    const std::string model = folder / "m.json";

    const auto result = run_program({"train", folder / "part-{rank}.csv",
                                     "--ranks", "2", "--transport", "gloo",
                                     "--layers", "1,3", "-q", "-o", model});

    CHECK(result.messages == "");
    CHECK(result.exit_code == 0);
    CHECK(load_model(model).model.label_names() == Names{"-1", "1", "0"});
  }

  TEST_CASE("refuses texts as indices") {
    const TrainOptions options = options_of({"--label-kind", "index"});
    datasets::Dataset data;
    data.source = "f.csv";
    data.features = Matrix::Zero(1, 1);
    data.label_texts = {"red"};

    CHECK_THROWS_WITH_AS(
        index_labels(data, totals_of(data, Task::kClassification), options,
                     Console()),
        "f.csv: labels must be integers for --label-kind index; some are "
        "texts, "
        "such as 'red'; leave the flag out",
        DataError);
  }
}

}  // namespace mlp::cli
