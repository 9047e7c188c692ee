// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/kept_columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../datasets/csv/csv.hpp"

using namespace mlp::datasets;
using Texts = std::vector<std::string>;

TEST_SUITE("datasets/csv/kept_columns") {
  TEST_CASE("keeps texts as they are beside the instances") {
    CsvOptions options;
    options.kept = {"id", "a"};
    options.ignored = {"id"};

    const CsvTable table =
        read_csv("id,a,kind\n\"x, \"\"1\"\"\n\",1.50,p\n 007 ,2,q\n,3e0,p\n",
                 "f.csv", options);

    REQUIRE(table.kept.size() == 2);
    CHECK(table.kept[0].name == "id");
    CHECK(table.kept[0].texts == Texts{"x, \"1\"\n", "007", ""});
    CHECK(table.kept[1].texts == Texts{"1.50", "2", "3e0"});
    CHECK(table.dataset.num_features() == 1);
  }

  TEST_CASE("keeps nothing of the rows that are left out") {
    CsvOptions options;
    options.kept = {"id"};
    options.ignored = {"id"};
    options.missing = mlp::datasets::MissingRule::kDrop;

    const CsvTable table =
        read_csv("id,a,kind\np,1,x\nq,?,y\nr,2,\ns,3,y\n", "f.csv", options);

    CHECK(table.kept[0].texts == Texts{"p", "s"});
    CHECK(table.dataset.features == mlp::Matrix{{1, 3}});
    CHECK(table.missing.of_features == std::vector<mlp::Index>{1});
  }

  TEST_CASE("names a column by its index where there is no header") {
    CsvOptions options;
    options.kept = {"-1"};

    const CsvTable table = read_csv("1,2,0\n3,4,1\n", "f.csv", options);

    CHECK(table.kept[0].name == "2");
    CHECK(table.kept[0].texts == Texts{"0", "1"});
  }
}
