// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/targets.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../scratch_folder.hpp"

using mlp::DataError;
using mlp::Matrix;
using namespace mlp::datasets;

namespace {

using Names = std::vector<std::string>;

LoadedData load_targets(const std::string& text, const Names& columns,
                        const Names& kept = {},
                        const std::string& name = "t.csv") {
  const mlp::test::ScratchFolder folder;
  LoadOptions options;
  options.csv.kept = kept;
  expect_targets(options.csv, columns);
  LoadedData loaded = load(folder.write(name, text), options);
  take_targets(loaded);
  return loaded;
}

constexpr const char* kTable = "a,x,b,y\n1,10,2,20\n3,30,4,40\n5,50,6,60\n";

}  // namespace

TEST_SUITE("datasets/load/targets") {
  TEST_CASE("reads label columns in the order of the names") {
    const LoadedData loaded = load_targets(kTable, {"y", "x"}, {"b"});

    const Dataset& data = loaded.dataset;
    CHECK(data.targets == Matrix{{20, 40, 60}, {10, 30, 50}});
    CHECK(data.target_names == Names{"y", "x"});
    CHECK(data.features == Matrix{{1, 3, 5}, {2, 4, 6}});
    CHECK(data.labels.size() == 0);
    CHECK(data.has_labels());
    REQUIRE(loaded.kept.size() == 1);
    CHECK(loaded.kept[0].texts == Names{"2", "4", "6"});
  }

  TEST_CASE("reads label columns by index, also from the end") {
    const Dataset data = load_targets("1,2,3\n4,5,6\n", {"-1", "0"}).dataset;

    CHECK(data.targets == Matrix{{3, 6}, {1, 4}});
    CHECK(data.target_names == Names{"2", "0"});
    CHECK(data.features == Matrix{{2, 5}});
  }

  TEST_CASE("refuses labels that are no finite numbers, with their line") {
    for (const std::string text : {"abc", "", "nan", "inf", "1e999"}) {
      CAPTURE(text);
      const std::string table = "a,x,y\n1,2,3\n4,5," + text + "\n";
      CHECK_THROWS_WITH_AS(
          load_targets(table, {"x", "y"}),
          doctest::Contains((":3: expected a finite number as the label 'y', "
                             "got '" +
                             text + "'")
                                .c_str()),
          DataError);
    }
  }

  TEST_CASE("refuses unknown and repeated columns, and files without columns") {
    const auto refuses = [](const std::string& text, const Names& columns,
                            const char* sentence, const std::string& name) {
      CHECK_THROWS_WITH_AS(load_targets(text, columns, {}, name),
                           doctest::Contains(sentence), DataError);
    };
    refuses(kTable, {"x", "z"}, "no column is the label 'z'", "t.csv");
    refuses(kTable, {"x", "x"}, "'x' is listed twice as label", "t.csv");
    refuses("1 1:2\n", {"0", "1"}, "several labels need a CSV or TSV file",
            "t.libsvm");
  }
}
