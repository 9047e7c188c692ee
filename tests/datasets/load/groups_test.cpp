// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/groups.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../datasets/load/load.hpp"
#include "../../../datasets/select.hpp"
#include "../../scratch_folder.hpp"

using mlp::DataError;
using mlp::Index;
using mlp::Matrix;
using namespace mlp::datasets;

namespace {

LoadedData load_groups(const std::string& text, const std::string& group,
                       CsvOptions csv = {}, const std::string& name = "t.csv") {
  const mlp::test::ScratchFolder folder;
  LoadOptions options;
  options.csv = std::move(csv);
  options.csv.group = group;
  return load(folder.write(name, text), options);
}

constexpr const char* kTable =
    "a,patient,b,y\n1,ann,2,0\n3,bob,4,1\n5,ann,6,1\n7,eve,8,0\n";

}  // namespace

TEST_SUITE("datasets/load/groups") {
  TEST_CASE("numbers the groups of a column that is no feature") {
    const LoadedData loaded = load_groups(kTable, "patient");

    CHECK(loaded.dataset.groups == std::vector<Index>{0, 1, 0, 2});
    CHECK(loaded.dataset.features == Matrix{{1, 3, 5, 7}, {2, 4, 6, 8}});
    CHECK(loaded.kept.empty());
  }

  TEST_CASE("compares groups as numbers if all are numbers") {
    const auto groups = [](const std::string& rows, char decimal = '.') {
      CsvOptions csv;
      csv.decimal = decimal;
      return load_groups("g;x;y\n" + rows, "g", csv).dataset.groups;
    };

    CHECK(groups("3;1;0\n3.0;2;1\n4;3;0\n") == std::vector<Index>{0, 0, 1});
    CHECK(groups("3;1;0\n3,0;2;1\n", ',') == std::vector<Index>{0, 0});
    CHECK(groups("3;1;0\n3.0;2;1\na;3;0\n") == std::vector<Index>{0, 1, 2});
    CHECK(groups("9007199254740993;1;0\n9007199254740992;2;1\n") ==
          std::vector<Index>{0, 1});
  }

  TEST_CASE("numbers texts in the order in which they occur") {
    CHECK(detail::number_groups({"b", "a", "b"}, {}) ==
          std::vector<Index>{0, 1, 0});
    CHECK(detail::number_groups({"3", "3.0", "1e1", "10"}, {}) ==
          std::vector<Index>{0, 0, 1, 1});
  }

  TEST_CASE("keeps the groups of chosen instances") {
    const Dataset data = load_groups(kTable, "1").dataset;
    CHECK(select(data, std::vector<Index>{3, 0}).groups ==
          std::vector<Index>{2, 0});
  }

  TEST_CASE("reads numbers as groups beside kept columns and targets") {
    CsvOptions csv;
    csv.kept = {"b"};
    csv.targets = {"y"};
    csv.label_rule = LabelRule::kAbsent;

    const LoadedData loaded =
        load_groups("a,g,b,y\n1,7,2,0\n3,7,4,1\n", "g", csv);

    CHECK(loaded.dataset.groups == std::vector<Index>{0, 0});
    CHECK(loaded.kept.front().texts == std::vector<std::string>{"2", "4"});
    CHECK(loaded.targets.front().texts == std::vector<std::string>{"0", "1"});
  }

  TEST_CASE("leaves out the groups of rows that are dropped") {
    CsvOptions csv;
    csv.missing = MissingRule::kDrop;
    const Dataset data =
        load_groups("a,g,y\n1,p,0\n,q,1\n3,r,1\n4,p,0\n", "g", csv).dataset;
    CHECK(data.groups == std::vector<Index>{0, 1, 0});
  }

  TEST_CASE("refuses a missing group, with its line") {
    CHECK_THROWS_WITH_AS(
        load_groups("a,g,y\n1,p,0\n2,,1\n", "g"),
        doctest::Contains(":3: expected a group in column 'g', got an empty "
                          "field; give the row a group of its own or remove "
                          "it"),
        DataError);
    CHECK_THROWS_WITH_AS(load_groups("a,g,y\n1,NA,0\n2,p,1\n", "g"),
                         doctest::Contains("column 'g', got 'NA'; give"),
                         DataError);
  }

  TEST_CASE("refuses unknown columns, features and files without columns") {
    CsvOptions csv;
    CHECK_THROWS_WITH_AS(load_groups(kTable, "doctor"),
                         doctest::Contains("no column is the group 'doctor'"),
                         DataError);
    csv.features = {"a", "patient"};
    CHECK_THROWS_WITH_AS(
        load_groups(kTable, "patient", csv),
        doctest::Contains("column 'patient' is a feature; expected other"),
        DataError);
    CHECK_THROWS_WITH_AS(load_groups("1 1:2\n", "0", {}, "t.libsvm"),
                         doctest::Contains("groups need a CSV or TSV file"),
                         DataError);
  }
}
