// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/label_index.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../datasets/csv/csv.hpp"

namespace mlp::datasets {

namespace {

using Texts = std::vector<std::string>;

Dataset labelled(const Texts& texts) {
  Dataset data;
  data.features = Matrix::Zero(1, static_cast<Index>(texts.size()));
  data.label_texts = texts;
  data.source = "f.csv";
  return data;
}

}  // namespace

TEST_SUITE("datasets/label_index") {
  TEST_CASE("gives the most frequent label the index zero") {
    CHECK(LabelIndex::fit(Texts{"a", "c", "b", "c", "b", "c"}).names ==
          Texts{"c", "b", "a"});
  }

  TEST_CASE("orders labels of equal frequency by the alphabet") {
    CHECK(LabelIndex::fit(Texts{"b", "a", "B", "", "ab"}).names ==
          Texts{"", "B", "a", "ab", "b"});
  }

  TEST_CASE("adds the counts of a label that several parts of the data have") {
    using datasets::count_labels;
    auto labels = count_labels(Texts{"a", "b", "b", "c", "c"});
    for (const auto& label : count_labels(Texts{"a", "d", "a"})) {
      labels.push_back(label);
    }

    CHECK(LabelIndex::fit(labels).names == Texts{"a", "b", "c", "d"});
  }

  TEST_CASE("finds names that are all numbers by their value") {
    const LabelIndex numbers{{"1", "-1"}};
    Dataset data = labelled({});
    data.features = Matrix::Zero(1, 2);
    data.labels = Vector{{-1.0, 1.0}};

    CHECK(numbers.apply(labelled({"1.0", "-1", "+1"})) == Vector{{0, 1, 0}});
    CHECK(numbers.apply(data) == Vector{{1, 0}});
    CHECK_THROWS_AS(numbers.apply(labelled({"2"})), DataError);
    // "1.0" is another text than "1" if a name is no number.
    CHECK_THROWS_AS(
        static_cast<void>(LabelIndex{{"1", "a"}}.apply(labelled({"1.0"}))),
        DataError);
  }

  TEST_CASE("tells integers apart that are one number in float64") {
    const LabelIndex index{{"9007199254740992", "9007199254740993"}};
    Dataset data = labelled({});
    data.features = Matrix::Zero(1, 1);
    data.labels = Vector{{9007199254740992.0}};

    CHECK(index.apply(labelled({"9007199254740993", "9007199254740992"})) ==
          Vector{{1, 0}});
    CHECK_THROWS_WITH_AS(
        index.apply(labelled({"9007199254740992.0"})),
        "f.csv: instance 0: unknown label '9007199254740992.0'; expected one "
        "of '9007199254740992', '9007199254740993'",
        DataError);
    CHECK_THROWS_AS(index.apply(data), DataError);
  }

  TEST_CASE("orders the species of Iris by name as they are equally many") {
    const auto iris = datasets::read_csv_file(MLP_DATA_DIR "/iris.csv");

    const LabelIndex index = LabelIndex::fit(iris.dataset.label_texts);

    CHECK(index.names == Texts{"setosa", "versicolor", "virginica"});
    CHECK(index.apply(iris.dataset)(149) == 2.0);
  }

  // U+00E9 C3 A9, U+FF21 EF BC A1, U+1F600 F0 9F 98 80: the last one is the
  // pair D83D DE00 in UTF-16.
  TEST_CASE("orders beyond ASCII as Java does by code units") {
    CHECK(LabelIndex::fit(
              Texts{"\xEF\xBC\xA1", "\xF0\x9F\x98\x80", "z", "\xC3\xA9"})
              .names ==
          Texts{"z", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xEF\xBC\xA1"});
  }

  TEST_CASE("maps texts to their indices") {
    const LabelIndex index{{"c", "b", "a"}};

    CHECK(index.apply(labelled({"a", "c", "b"})) == Eigen::Vector3d(2, 0, 1));
  }

  TEST_CASE("gives each label back by its index") {
    const Texts texts = {"x", "y", "y", "z", "x", "y"};
    const LabelIndex index = LabelIndex::fit(texts);

    const Vector indices = index.apply(labelled(texts));

    for (std::size_t i = 0; i < texts.size(); ++i) {
      const double label = indices[static_cast<Index>(i)];
      CHECK(index.names[static_cast<std::size_t>(label)] == texts[i]);
    }
  }

  TEST_CASE("finds truth values in each of their spellings") {
    const Vector indices{{1, 0}};
    Dataset data = labelled({});
    data.features = Matrix::Zero(1, 2);
    data.labels = Vector{{0.0, 1.0}};

    for (const Texts& names : {Texts{"True", "False"}, Texts{"true", "false"},
                               Texts{"1", "0"}, Texts{"1.0", "0.0"}}) {
      CAPTURE(names.front());
      const LabelIndex index{names};
      CHECK(index.apply(labelled({"False", "True"})) == indices);
      CHECK(index.apply(labelled({"FALSE", "true"})) == indices);
      CHECK(index.apply(labelled({"0", "1.0"})) == indices);
      CHECK(index.apply(data) == indices);
    }
  }

  TEST_CASE("refuses a truth value if the names are others") {
    for (const Texts& names :
         {Texts{"True", "true"}, Texts{"True", "no"}, Texts{"0", "2"},
          Texts{"True", "False", "unknown"}}) {
      CAPTURE(names.back());
      CHECK_THROWS_AS(LabelIndex{names}.apply(labelled({"FALSE"})), DataError);
    }
  }

  TEST_CASE("looks labels that are numbers up by their text") {
    Dataset data = labelled({});
    data.features = Matrix::Zero(1, 2);
    data.labels = Eigen::Vector2d(7, 0.5);

    CHECK(LabelIndex{{"0.5", "x", "7"}}.apply(data) == Eigen::Vector2d(2, 0));
  }

  TEST_CASE("refuses a label that is unknown and names line and choice") {
    Dataset data = labelled({"a", "d"});
    const LabelIndex index{{"a", "b"}};

    CHECK_THROWS_WITH_AS(
        index.apply(data),
        "f.csv: instance 1: unknown label 'd'; expected one of 'a', 'b'",
        DataError);
    data.lines = {2, 5};
    CHECK_THROWS_WITH_AS(index.apply(data),
                         "f.csv:5: unknown label 'd'; expected one of 'a', 'b'",
                         DataError);
  }

  TEST_CASE("refuses data without labels") {
    CHECK_THROWS_WITH_AS(LabelIndex{{"a"}}.apply(labelled({})),
                         "f.csv: has no label column; expected labels",
                         DataError);
  }
}

}  // namespace mlp::datasets
