// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/label_kind.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

/// Integers from a first one on, each as often as asked.
LabelNumbers count_up(double first, Index num_classes, Index times) {
  LabelNumbers numbers;
  for (Index i = 0; i < num_classes; ++i) {
    numbers.counts.push_back({first + static_cast<double>(i), times});
  }
  return numbers;
}

std::vector<LabelCount> make_texts(Index num_texts, Index times) {
  std::vector<LabelCount> labels;
  for (Index i = 0; i < num_texts; ++i) {
    labels.push_back({"t" + std::to_string(i), times});
  }
  return labels;
}

ClassRequest with_layers(Index num_outputs) {
  ClassRequest request;
  request.num_outputs = num_outputs;
  return request;
}

ClassRequest ask_for_classes() {
  ClassRequest request;
  request.is_classification = true;
  return request;
}

}  // namespace

TEST_SUITE("datasets/label_kind") {
  TEST_CASE("takes up to 30 indices as classes and says so above 10") {
    CHECK(decide_classes(count_up(0, 10, 1), {}, "").note.empty());

    const NumberClasses classes = decide_classes(count_up(0, 30, 1), {}, "");

    CHECK_FALSE(classes.are_names);
    CHECK(classes.note ==
          "the labels are 30 different integers, which become classes");
  }

  TEST_CASE("refuses more than 30 numbers unless classes are asked for") {
    const LabelNumbers numbers = count_up(0, 31, 9);

    CHECK_THROWS_WITH_AS(
        decide_classes(numbers, {}, "f.csv"),
        "f.csv: the labels are 31 different integers, from 0 to 30; expected "
        "at most 30 to be classes",
        ClassError);
    CHECK_FALSE(decide_classes(numbers, ask_for_classes(), "").are_names);
    CHECK_FALSE(decide_classes(numbers, with_layers(31), "").are_names);
    CHECK(decide_classes(numbers, with_layers(31), "").note ==
          "the labels are 31 different integers, which become classes");
  }

  TEST_CASE("takes other integers as names if they repeat or are asked for") {
    CHECK(decide_classes(count_up(5, 12, 2), {}, "").note ==
          "the labels 5, 6, 7, ..., 16 are not the integers 0..11, so they are "
          "taken as the names of 12 classes");
    CHECK(decide_classes(count_up(5, 12, 1), ask_for_classes(), "").are_names);
    CHECK_THROWS_AS(decide_classes(count_up(5, 12, 1), {}, ""), ClassError);
  }

  TEST_CASE("keeps the classes of a model to start from") {
    ClassRequest request = with_layers(2);
    request.known_names = std::vector<std::string>{"1.0", "0.0"};
    CHECK(decide_classes(count_up(0, 2, 1), request, "").are_names);

    request.known_names = std::vector<std::string>();
    CHECK_FALSE(decide_classes(count_up(5, 2, 1), request, "").are_names);
  }

  TEST_CASE("never takes fractions as names") {
    ClassRequest request = ask_for_classes();
    request.kind = LabelKind::kName;

    CHECK_FALSE(decide_classes({false, {}}, request, "").are_names);
  }

  TEST_CASE("refuses texts that describe rows unless each is a class") {
    ClassRequest names;
    names.kind = LabelKind::kName;

    CHECK_THROWS_WITH_AS(
        check_texts(make_texts(101, 1), ask_for_classes(), "id", "f.csv"),
        "f.csv: the label column 'id' has 101 different texts in 101 rows; "
        "expected at most 100, or half as many as rows, to be classes",
        ClassError);
    CHECK_NOTHROW(check_texts(make_texts(101, 1), names, "", ""));
    CHECK_NOTHROW(check_texts(make_texts(101, 1), with_layers(101), "", ""));
    CHECK_NOTHROW(check_texts(make_texts(101, 2), {}, "", ""));
  }

  TEST_CASE("refuses more than 1000 texts unless classes are asked for") {
    CHECK_THROWS_WITH_AS(
        check_texts(make_texts(1001, 3), {}, "", ""),
        "the label column has 1001 different texts in 3003 rows; expected at "
        "most 1000 to be classes",
        ClassError);
    CHECK_NOTHROW(check_texts(make_texts(1001, 3), ask_for_classes(), "", ""));
  }

  TEST_CASE("finds classes that differ only in case or spaces") {
    CHECK(describe_similar({"Yes", "no", "yes"}) ==
          "the classes 'Yes' and 'yes' differ only in case or spaces; if they "
          "are one class, write them in one way");
    CHECK_FALSE(describe_similar({"New York", "NewYork"}).empty());
    CHECK(describe_similar({"a", "A", "yes", "no"}).empty());
  }

  TEST_CASE("finds classes that are the same number") {
    CHECK(describe_similar({"1", "no", "1.0"}) ==
          "the classes '1' and '1.0' are the same number; if they are one "
          "class, write them in one way");
    CHECK(describe_similar({"1", "2.0", "no"}).empty());
  }

  TEST_CASE("refuses indices if most of them never occur") {
    LabelNumbers numbers = count_up(0, 1, 1);
    numbers.counts.push_back({900000, 1});

    CHECK_THROWS_WITH_AS(
        check_dense_indices(numbers, {}, ""),
        "the largest label 900000 asks for 900001 classes, but only 2 occur",
        ClassError);
    CHECK_NOTHROW(check_dense_indices(numbers, with_layers(900001), ""));
  }
}

}  // namespace mlp::datasets
