// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_reader.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../datasets/csv/csv.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"
#include "arrow_file.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

using test::arrow_file;
using test::ArrowColumn;
using test::ArrowTable;

CsvTable read(const std::vector<ArrowFile>& files,
              const CsvOptions& options = {}) {
  return ArrowReader(files, files.front().name, options).read();
}

CsvTable read(const std::vector<ArrowTable>& batches,
              const CsvOptions& options = {}) {
  return read(std::vector<ArrowFile>{arrow_file("table", batches)}, options);
}

/// Options as a training without flags has them.
CsvOptions preset() {
  CsvOptions options;
  options.use_preset(false, false, false);
  return options;
}

/// Columns of all kinds that a table can have.
ArrowTable mixed_columns() {
  const auto grade = ArrowColumn::of<std::int8_t>(
      "grade", "c",
      {std::int8_t{1}, std::int8_t{0}, std::nullopt, std::int8_t{1}});
  grade->set_dictionary(ArrowColumn::texts("", {"10", "20"}));
  return {ArrowColumn::doubles("size", {1.5, std::nullopt, 3.0, 4.0}),
          ArrowColumn::texts("colour", {"red", "blue", "red", std::nullopt}),
          grade,
          ArrowColumn::bools("is_new", {true, false, false, std::nullopt}),
          ArrowColumn::texts("code", {"1", "2", "NA", "4"}),
          ArrowColumn::of<std::int64_t>("label", "l", {3, 1, 3, 1})};
}

constexpr const char* kMixedCsv =
    "size,colour,grade,is_new,code,label\n"
    "1.5,red,20,True,1,3\n"
    ",blue,10,False,2,1\n"
    "3,red,,False,NA,3\n"
    "4,,20,,4,1\n";

void check_equal(const Dataset& a, const Dataset& b) {
  REQUIRE(a.features.rows() == b.features.rows());
  REQUIRE(a.features.cols() == b.features.cols());
  for (Index i = 0; i < a.features.size(); ++i) {
    CAPTURE(i);
    const double left = a.features.data()[i];
    const double right = b.features.data()[i];
    CHECK(((left == right) || (std::isnan(left) && std::isnan(right))));
  }
  CHECK(a.labels == b.labels);
  CHECK(a.label_texts == b.label_texts);
  CHECK(a.feature_names == b.feature_names);
  CHECK(a.label_name == b.label_name);
  CHECK(a.columns == b.columns);
}

}  // namespace

TEST_SUITE("datasets/arrow/arrow_reader") {
  TEST_CASE("a table of numbers is copied") {
    const CsvTable table = read(std::vector<ArrowTable>{
        {ArrowColumn::doubles("a", {1.0, 2.0}),
         ArrowColumn::of<std::int32_t>("b", "i", {3, 4}),
         ArrowColumn::of<float>("y", "f", {0.5F, 1.5F})}});

    CHECK(table.dataset.features == (Matrix(2, 2) << 1, 2, 3, 4).finished());
    CHECK(table.dataset.labels == Vector{{0.5, 1.5}});
    CHECK(table.dataset.feature_names == std::vector<std::string>{"a", "b"});
    CHECK(table.dataset.label_name == "y");
    CHECK(table.has_header);
    CHECK(table.delimiter == 0);
  }

  TEST_CASE("a table of all kinds is that of the same CSV file") {
    CsvOptions options = preset();
    options.one_hot.columns = {"grade"};
    const CsvTable table = read({mixed_columns()}, preset());
    const CsvTable csv = read_csv(kMixedCsv, "table", options);

    check_equal(table.dataset, csv.dataset);
    CHECK(table.missing.num_values == csv.missing.num_values);
    CHECK(table.missing.of_features == csv.missing.of_features);
  }

  TEST_CASE("the same rows give the same table in any batches and files") {
    const CsvTable one = read({mixed_columns()}, preset());
    const CsvTable batches = read({mixed_columns(), mixed_columns()}, preset());
    const CsvTable files = read({arrow_file("a", {mixed_columns()}, 4),
                                 arrow_file("b", {mixed_columns()}, 4)},
                                preset());

    CHECK(one.dataset.num_instances() == 4);
    CHECK(batches.dataset.num_instances() == 8);
    check_equal(batches.dataset, files.dataset);
    CHECK(files.dataset.place_of(5).file == "b");
    CHECK(files.dataset.place_of(5).position.line == 2);
    CHECK(batches.dataset.place_of(5).position.line == 6);
  }

  TEST_CASE("any number of threads gives the same table") {
    std::vector<std::optional<double>> values;
    std::vector<std::optional<std::string>> texts;
    for (int i = 0; i < 20000; ++i) {
      values.emplace_back(0.5 * i);
      texts.emplace_back(i % 3 == 0 ? "a" : "b");
    }
    CsvOptions options = preset();
    const std::vector<ArrowTable> table{{ArrowColumn::doubles("x", values),
                                         ArrowColumn::texts("kind", texts),
                                         ArrowColumn::texts("label", texts)}};
    const CsvTable one = read(table, options);
    options.num_threads = 4;

    check_equal(one.dataset, read(table, options).dataset);
    CHECK(one.dataset.features(0, 19999) == 9999.5);
  }

  TEST_CASE("features in a file are those in memory") {
    const test::ScratchFolder folder;
    const std::vector<ArrowFile> files{
        arrow_file("a", {mixed_columns(), mixed_columns()}, 8),
        arrow_file("b", {mixed_columns()}, 4)};
    const CsvOptions options = preset();
    ArrowReader reader(files, "a", options);
    CHECK(reader.num_bytes() == 8.0 * 12 * 5);

    CsvTable table = ArrowReader(files, "a", options).store(folder.path());
    const CsvTable in_memory = reader.read();

    REQUIRE(table.dataset.stored != nullptr);
    table.dataset.features = table.dataset.first_features(12);
    check_equal(table.dataset, in_memory.dataset);
    CHECK(table.dataset.lines == in_memory.dataset.lines);
    CHECK(table.dataset.place_of(9).file == "b");
    CHECK(table.missing.of_features == in_memory.missing.of_features);
  }

  TEST_CASE("errors of features in a file name the row and the column") {
    const test::ScratchFolder folder;
    const auto check = [&](const ArrowTable& columns,
                           const std::string& sentence) {
      const std::vector<ArrowFile> files{arrow_file("t", {columns}, 2)};
      CHECK_THROWS_WITH_AS(
          static_cast<void>(ArrowReader(files, "t", {}).store(folder.path())),
          sentence.c_str(), ColumnError);
    };
    const auto label = ArrowColumn::texts("y", {"1", "2"});
    check({ArrowColumn::doubles("a", {1.0, 2.0}),
           ArrowColumn::doubles("x", {1.0, std::nullopt}), label},
          "t:2: expected a number in column 'x', got no value; fill in the "
          "missing value or remove the row");
    check({ArrowColumn::doubles("a", {1.0, 2.0}),
           ArrowColumn::texts("x", {"1", "red"}), label},
          "t:2: expected a number in column 'x', got 'red'");
  }

  TEST_CASE("blanks around texts and names do not count, as in a CSV file") {
    CsvOptions options = preset();
    options.kept = {"kind"};
    const CsvTable table =
        read({{ArrowColumn::texts(" kind", {" a", "a", "b\t", "  ", "a"}),
               ArrowColumn::doubles("y", {0.0, 1.0, 0.0, 1.0, 0.0})}},
             options);
    const CsvTable csv = read_csv(
        "kind,y\n\" a\",0\na,1\n\"b\t\",0\n\"  \",1\n a ,0\n", "csv", options);

    for (const CsvTable* const one : {&table, &csv}) {
      CHECK(one->dataset.columns.front().categories ==
            std::vector<std::string>{"a", "b"});
      CHECK(one->missing.num_values == 1);
      CHECK(one->kept.front().texts ==
            std::vector<std::string>{"a", "a", "b", "", "a"});
    }
  }

  TEST_CASE("columns are chosen by name, weighed and kept") {
    CsvOptions options;
    options.label = "size";
    options.weight = "code";
    options.features = {"label", "is_new"};
    options.kept = {"colour", "label"};
    options.missing = MissingRule::kDrop;
    ArrowTable columns = mixed_columns();
    columns[4] = ArrowColumn::of<std::int32_t>("code", "i", {1, 2, 3, 4});

    const CsvTable table = read({columns}, options);

    CHECK(table.dataset.features == (Matrix(2, 2) << 3, 3, 1, 0).finished());
    CHECK(table.dataset.labels == Vector{{1.5, 3.0}});
    CHECK(table.dataset.weights == Vector{{1.0, 3.0}});
    CHECK(table.dataset.lines == std::vector<Index>{1, 3});
    REQUIRE(table.kept.size() == 2);
    CHECK(table.kept[0].texts == std::vector<std::string>{"red", "red"});
    CHECK(table.kept[1].texts == std::vector<std::string>{"3", "3"});
  }

  TEST_CASE("vectors of Spark are features") {
    const CsvTable table = read(std::vector<ArrowTable>{
        {test::spark_vectors("features", {-1, 3}, {{}, {2}}, {{1, 2, 3}, {9}}),
         ArrowColumn::doubles("label", {0.0, 1.0})}});

    CHECK(table.dataset.features ==
          (Matrix(3, 2) << 1, 0, 2, 0, 3, 9).finished());
    CHECK(table.dataset.feature_names ==
          std::vector<std::string>{"features_0", "features_1", "features_2"});
  }

  TEST_CASE("a table without a label has only features") {
    CsvOptions options;
    options.label_rule = LabelRule::kAbsent;
    const CsvTable table =
        read(std::vector<ArrowTable>{{ArrowColumn::doubles("x", {1.0, 2.0})}},
             options);

    CHECK(table.dataset.features == (Matrix(1, 2) << 1, 2).finished());
    CHECK(table.dataset.lines == std::vector<Index>{1, 2});
    CHECK_FALSE(table.dataset.has_labels());
  }

  TEST_CASE("a number that means a missing value is missing") {
    CsvOptions options;
    options.missing = MissingRule::kMean;
    options.missing_texts = MissingTexts({"-999"});
    const CsvTable table =
        read(std::vector<ArrowTable>{{ArrowColumn::doubles("x", {1.0, -999.0}),
                                      ArrowColumn::doubles("y", {1.0, 2.0})}},
             options);

    CHECK(std::isnan(table.dataset.features(0, 1)));
    CHECK(table.missing.num_values == 1);
  }

  TEST_CASE("an error names the file, the row and the column") {
    const auto check = [](const ArrowTable& columns,
                          const std::string& sentence) {
      CAPTURE(sentence);
      CHECK_THROWS_WITH_AS(static_cast<void>(read({columns})), sentence.c_str(),
                           DataError);
    };
    const auto label = ArrowColumn::doubles("y", {1.0, 2.0});
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    check({ArrowColumn::doubles("x", {1.0, std::nullopt}), label},
          "table:2: expected a number in column 'x', got no value; fill in "
          "the missing value or remove the row");
    check({ArrowColumn::doubles("x", {1.0, kInfinity}), label},
          "table:2: expected a number in column 'x', got 'Infinity'");
    check({ArrowColumn::texts("x", {"1", "red"}), label},
          "table:2: expected a number in column 'x', got 'red'");
    check({ArrowColumn::doubles("x", {1.0, 2.0}),
           ArrowColumn::doubles("y", {1.0, kInfinity})},
          "table:2: expected a label in column 'y', got 'Infinity'");
    check({ArrowColumn::of<std::int32_t>("day", "tdD", {1, 2}), label},
          "table: column 'day' has dates; expected numbers or texts; make "
          "numbers of them, such as days since a date, or leave the column "
          "out");
    check({test::spark_vectors("x", {-1, -1}, {{}, {}}, {{1, 2}, {1}}), label},
          "table:2: expected a vector of 2 elements, got 1; all need equal "
          "sizes");
  }

  TEST_CASE("a text may have line ends, and the name of its column") {
    const auto batch = [](const std::string& first) {
      return ArrowTable{
          ArrowColumn::texts("kind\nof", {first + "\nz", "kind\nof", "b", "b"}),
          ArrowColumn::doubles("x", {1.0, 2.0, 3.0, 4.0}),
          ArrowColumn::texts("y", {"y", "n", "y", "n"})};
    };
    CsvOptions options = preset();
    options.kept = {"kind\nof"};
    const std::vector<ArrowFile> files{arrow_file("a", {batch("p")}, 4),
                                       arrow_file("b", {batch("q")}, 4)};
    for (const int num_threads : {1, 4}) {
      options.num_threads = num_threads;
      const CsvTable table = read(files, options);
      CHECK(table.dataset.lines == std::vector<Index>{1, 2, 3, 4, 5, 6, 7, 8});
      CHECK(table.dataset.place_of(4).file == "b");
      REQUIRE(table.kept[0].texts.size() == 8);
      CHECK(table.kept[0].texts[4] == "q\nz");
      CHECK(table.kept[0].texts[7] == "b");
      CHECK(table.dataset.label_texts[0] == "y");
    }
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read(std::vector<ArrowTable>{
            {ArrowColumn::texts("c", {"p\nq", "p\nq", "r"}),
             ArrowColumn::doubles("y", {1.0, 2.0, std::nullopt})}})),
        "table:1: expected a number in column 'c', got 'p\\x0aq'", DataError);
  }

  TEST_CASE("row names of pandas are left out unless they are chosen") {
    const ArrowTable columns{
        ArrowColumn::doubles("x", {1.0, 2.0}),
        ArrowColumn::texts("y", {"a", "b"}),
        ArrowColumn::doubles("__index_level_0__", {7.0, 8.0})};
    CsvOptions options;
    const CsvTable table = read({columns}, options);
    CHECK(table.dataset.label_name == "y");
    CHECK(table.dataset.feature_names == std::vector<std::string>{"x"});
    CHECK(table.guesses.row_names == std::vector<Index>{2});
    options.features = {"__index_level_0__"};
    options.label = "y";
    CHECK(read({columns}, options).dataset.features ==
          (Matrix(1, 2) << 7, 8).finished());
  }

  TEST_CASE("advice about texts that are not UTF-8 is for a table") {
    const auto refusal = [](const ArrowTable& table) {
      return test::thrown_message<DataError>(
          [&] { return read({table}, preset()); });
    };
    const auto wrong = ArrowColumn::texts("c", {"a", "\xFF", "a"});
    const auto numbers = ArrowColumn::doubles("x", {1.0, 2.0, 1.0});

    CHECK(refusal({wrong, numbers}) ==
          "table: column 'c' has the category '\\xff', which is not UTF-8; "
          "write the table with texts in UTF-8");
    CHECK(refusal({numbers, wrong}) ==
          "table:2: the label '\\xff' is not UTF-8; write the table with texts "
          "in UTF-8");
  }

  TEST_CASE("a column that is not needed may have any type") {
    CsvOptions options;
    options.ignored = {"day"};
    const CsvTable table = read(
        std::vector<ArrowTable>{
            {ArrowColumn::of<std::int32_t>("day", "tdD", {1, 2}),
             ArrowColumn::doubles("x", {1.0, 2.0}),
             ArrowColumn::doubles("y", {1.0, 2.0})}},
        options);

    CHECK(table.dataset.feature_names == std::vector<std::string>{"x"});
  }

  TEST_CASE("files need the same kinds of columns, which an error names") {
    const auto label = ArrowColumn::doubles("y", {1.0});
    const auto refusal = [](const ArrowTable& first, const ArrowTable& second) {
      return test::thrown_message<DataError>([&] {
        return read({arrow_file("a", {first}), arrow_file("b", {second})});
      });
    };
    const std::string expected =
        "; expected the same kind; write the column of both alike, or leave "
        "it out";
    const ArrowTable vectors{test::spark_vectors("x", {-1}, {{}}, {{1.0}}),
                             label};
    const ArrowTable flat{ArrowColumn::doubles("x_0", {1.0}), label};
    const ArrowTable truths{ArrowColumn::bools("x", {true}), label};
    const ArrowTable integers{ArrowColumn::of<std::int8_t>("x", "c", {1}),
                              label};

    CHECK(refusal(vectors, flat) ==
          "b: column 'x_0' has numbers, but vectors in a" + expected);
    CHECK(refusal(integers, truths) ==
          "b: column 'x' has truth values, but numbers in a" + expected);
    CHECK(refusal(truths, {label, label}) ==
          "b: expected the name 'x' of column 0 as in a, got 'y'; all files "
          "need the same columns in the same order");
  }

  TEST_CASE("a file has the rows that it states") {
    const ArrowTable table{ArrowColumn::doubles("x", {1.0}),
                           ArrowColumn::doubles("y", {1.0})};
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read({arrow_file("a", {table}, 2)})),
        "a: states that it has 2 rows, but has 1; it is damaged, or was "
        "changed meanwhile",
        DataError);
  }

  TEST_CASE("a column without values goes with any kind of another file") {
    const auto none = std::make_shared<ArrowColumn>("x", "n");
    none->set_valid(std::vector<std::optional<int>>{std::nullopt});
    const auto label = ArrowColumn::doubles("y", {1.0});
    const ArrowFile empty = arrow_file("a", {{none, label}});
    const ArrowFile truths =
        arrow_file("b", {{ArrowColumn::bools("x", {true}), label}});

    for (const auto& files : {std::vector{empty, truths}, {truths, empty}}) {
      const CsvTable table = read(files, preset());

      CHECK(table.missing.num_values == 1);
      CHECK(table.dataset.features.maxCoeff<Eigen::PropagateNumbers>() == 1.0);
    }
  }

  TEST_CASE("a survey tells what cannot be read, and counts its values") {
    const auto days = ArrowColumn::of<std::int32_t>(
        "day", "tdD", {std::int32_t{1}, std::nullopt});
    try {
      static_cast<void>(read({arrow_file(
          "t", {{days, ArrowColumn::doubles("y", {0.0, 1.0})}}, 2)}));
      FAIL("dates are no features");
    } catch (const ColumnError& error) {
      const ColumnSurvey& day = error.survey()->columns.front();
      CHECK(day.what == "dates");
      CHECK(day.num_missing == 1);
      CHECK(day.values == std::set<std::string>{"1970-01-02"});
    }
  }

  TEST_CASE("files need the same columns, and rows") {
    const auto column = [](const std::string& name) {
      return ArrowColumn::doubles(name, {1.0});
    };
    CHECK_THROWS_WITH_AS(
        static_cast<void>(
            read({arrow_file("a", {{column("x"), column("y")}}),
                  arrow_file("b", {{column("x"), column("z")}})})),
        "b: expected the name 'y' of column 1 as in a, got 'z'; all files need "
        "the same columns in the same order",
        DataError);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read(std::vector<ArrowTable>{
            {ArrowColumn::doubles("x", {}), ArrowColumn::doubles("y", {})}})),
        "table: has no rows; expected rows of numbers", DataError);
  }
}

}  // namespace mlp::datasets::detail
