// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../../../core/number_text.hpp"
#include "layout/found_layout.hpp"
#include "read_text.hpp"

namespace mlp::datasets {

namespace {

using namespace testing;

/// Rows enough for several threads and many pieces.
constexpr int kManyRows = 120000;

/// A random row of two features and a label; now and then quoted.
std::string random_row(std::mt19937_64& random, const std::string& label) {
  std::string row;
  for (int i = 0; i < 2; ++i) {
    const std::string number =
        std::to_string(static_cast<double>(random() % 2000000) / 1000 - 1000);
    row += random() % 100 == 0 ? '"' + number + '"' : number;
    row += ',';
  }
  return row + label;
}

/// \param label     of every row, a number or a text
/// \param line_end  LF or CRLF
std::string random_table(const std::string& label,
                         const std::string& line_end) {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < kManyRows; ++i) {
    text += random_row(random, label) + line_end;
  }
  return text;
}

/// What reading gives, or the sentence that it refuses with.
struct Outcome {
  Dataset data;
  std::string sentence;
};

Outcome read_by(int num_threads, const std::string& text,
                CsvOptions options = {}) {
  options.num_threads = num_threads;
  try {
    return {read(text, options).dataset, ""};
  } catch (const DataError& error) {
    return {{}, error.what()};
  }
}

/// Compares what one thread gives with what several give.
/// \returns the sentence of a refusal
std::string check_same(const std::string& text,
                       const CsvOptions& options = {}) {
  const Outcome expected = read_by(1, text, options);
  for (const int num_threads : {2, 3}) {
    const Outcome outcome = read_by(num_threads, text, options);
    CHECK(outcome.sentence == expected.sentence);
    CHECK(outcome.data.features == expected.data.features);
    CHECK(outcome.data.labels == expected.data.labels);
    CHECK(outcome.data.weights == expected.data.weights);
    CHECK(outcome.data.label_texts == expected.data.label_texts);
    CHECK(outcome.data.lines == expected.data.lines);
    CHECK(outcome.data.feature_names == expected.data.feature_names);
  }
  return expected.sentence;
}

/// Checks the features of a text without labels.
void check_features(const std::string& text, const Matrix& expected) {
  CsvOptions options;
  options.label_rule = LabelRule::kAbsent;
  const Dataset data = read(text, options).dataset;
  REQUIRE(data.features.size() == expected.size());
  CHECK(data.features == expected);
}

/// Puts a text into the line behind the next line end.
std::string with_line(std::string text, std::size_t from,
                      const std::string& line) {
  return text.insert(text.find('\n', from) + 1, line);
}

}  // namespace

TEST_SUITE("datasets/csv/csv") {
  TEST_CASE("reads Iris with its header and its species") {
    const CsvTable table = read_csv_file(MLP_DATA_DIR "/iris.csv");
    const Dataset& data = table.dataset;

    CHECK(data.num_instances() == 150);
    CHECK(data.feature_names ==
          Texts{"sepal_length", "sepal_width", "petal_length", "petal_width"});
    CHECK(data.label_name == "species");
    CHECK(table.chosen_label->is_default);
    CHECK(data.features.col(0) == Eigen::Vector4d(5.1, 3.5, 1.4, 0.2));
    CHECK(data.features.col(149) == Eigen::Vector4d(5.9, 3.0, 5.1, 1.8));
    CHECK(data.label_texts.front() == "setosa");
    CHECK(data.label_texts.back() == "virginica");
    CHECK(data.labels.size() == 0);
    CHECK(data.lines.front() == 2);
    CHECK(data.lines.back() == 151);
  }

  TEST_CASE("reads labels that are numbers as numbers") {
    const Dataset data = read("1,2,0\n3,4,1\n").dataset;

    CHECK(data.features == Matrix{{1, 3}, {2, 4}});
    CHECK(data.labels == Eigen::Vector2d(0, 1));
    CHECK(data.label_texts.empty());
    CHECK(data.feature_names.empty());
    CHECK(data.lines == std::vector<Index>{1, 2});
    CHECK(data.source == "f.csv");
  }

  TEST_CASE("keeps all labels as texts once one of them is no number") {
    const Dataset data = read("1,2,07\n3,4, 1.0\n5,6,\"a\"\"b\"\n").dataset;

    CHECK(data.label_texts == Texts{"07", "1.0", "a\"b"});
    CHECK(data.labels.size() == 0);
  }

  TEST_CASE("keeps numbers as texts where the classes have names") {
    CsvOptions options;
    options.label_as_text = true;

    const Dataset data = read("1,2,0\n3,4,1\n", options).dataset;

    CHECK(data.label_texts == Texts{"0", "1"});
    CHECK(data.labels.size() == 0);
  }

  TEST_CASE("reads the same from every way to write a file") {
    const Matrix expected{{1, 3}, {2, 4}};

    for (const std::string text :
         {"a,b,label\n1,2,0\n3,4,1\n", "a;b;label\r\n1;2;0\r\n3;4;1\r\n",
          "a\tb\tlabel\n1\t2\t0\n3\t4\t1",
          "\xEF\xBB\xBF"
          "1,2,0\n3,4,1\n\n\n",
          "\"1\",\"2\",\"0\"\n\"3\",\"4\",\"1\"\n", " 1, +2, 0\n 3e0,4., 1\n",
          "a,\"b\nc\",label\n1,2,0\n3,4,1\n"}) {
      const Dataset data = read(text).dataset;
      CHECK(data.features == expected);
      CHECK(data.labels == Eigen::Vector2d(0, 1));
    }
  }

  TEST_CASE("gives the features in the order of the model's names") {
    CsvOptions options;
    options.label_rule = LabelRule::kOptional;
    options.feature_names = {"a", "b"};

    const CsvTable table = read("id,b,a\nx,2,1\n,4,3\n", options);

    CHECK(table.dataset.features == Matrix{{1, 3}, {2, 4}});
    CHECK(table.dataset.feature_names == Texts{"a", "b"});
    CHECK_FALSE(table.chosen_label.has_value());
    CHECK_FALSE(table.dataset.has_labels());
  }

  TEST_CASE("reads what each instance counts from the weight column") {
    const Dataset data =
        read("a,w,b,label\n1,0.5,2,x\n3,\"0\",4,y\n", weight("w")).dataset;

    CHECK(data.weights == Eigen::Vector2d(0.5, 0));
    CHECK(data.features == Matrix{{1, 3}, {2, 4}});
    CHECK(data.feature_names == Texts{"a", "b"});
    CHECK(data.label_texts == Texts{"x", "y"});
    CHECK(read("1,2,0\n").dataset.weights.size() == 0);
  }

  TEST_CASE("keeps the weights where a late label is no number") {
    const Dataset data = read("1,7,0\n2,8,1\n3,9,x\n", weight("1")).dataset;

    CHECK(data.weights == Eigen::Vector3d(7, 8, 9));
    CHECK(data.label_texts == Texts{"0", "1", "x"});
  }

  TEST_CASE("ignores a weight column where features are found by name") {
    CsvOptions options;
    options.label_rule = LabelRule::kAbsent;
    options.feature_names = {"a", "b"};

    const Dataset data = read("a,w,b\n1,-,2\n", options).dataset;

    CHECK(data.features == Matrix{{1}, {2}});
    CHECK(data.weights.size() == 0);
  }

  TEST_CASE("rounds each number of every length exactly") {
    std::mt19937_64 random(2);
    std::vector<double> numbers;
    std::string text;
    for (int i = 0; i < 2000; ++i) {
      const auto bits = random() & ~(std::uint64_t{1} << 62);
      numbers.push_back(std::bit_cast<double>(bits));
      append_double(text, numbers.back());
      text += i % 4 == 3 ? '\n' : ',';
    }

    check_features(text, Eigen::Map<const Matrix>(numbers.data(), 4, 500));
  }

  TEST_CASE("rounds each short number exactly") {
    std::mt19937_64 random(3);
    std::vector<double> numbers;
    std::string text;
    for (int i = 0; i < 4000; ++i) {
      const auto digits = std::to_string(random() % 1000000000);
      std::string number = random() % 2 == 0 ? "-" : "";
      number += random() % 4 == 0 ? "0" : digits;
      if (random() % 2 == 0) number += '.' + digits;
      numbers.push_back(parse_double(number).value_or(0));
      text += number + (i % 8 == 7 ? '\n' : ',');
    }

    check_features(text, Eigen::Map<const Matrix>(numbers.data(), 8, 500));
  }

  TEST_CASE("reads every beginning of a file or refuses it") {
    const std::string text = "a,b,label\r\n1.5,\"2\",x\n-3e1,4,\"y\"\"\nz\"\n";

    for (std::size_t size = 0; size <= text.size(); ++size) {
      Index num_instances = 0;
      try {
        num_instances = read(text.substr(0, size)).dataset.num_instances();
      } catch (const DataError& error) {
        CHECK(error.file() == "f.csv");
      }
      CHECK(num_instances <= 2);
    }
  }

  TEST_CASE("takes memory by the size of the text and not of its first row") {
    const std::string text =
        std::string(200000, ',') + std::string(400000, '\n') + "1";

    CHECK_THROWS_AS(read(text), DataError);
  }

  TEST_CASE("refuses what is not a number and names the place") {
    CHECK(refusal("a,b,label\n1,2,0\n3,x,1\n") ==
          "f.csv:3:3: expected a number in column 'b', got 'x'");
    CHECK(refusal("1,2,0\n3, 4x,1\n") ==
          "f.csv:2:4: expected a number in column 1, got '4x'");
  }

  TEST_CASE("refuses non-finite and odd numbers in every row") {
    for (const char* const odd : {"-nan", "inf", "-Infinity", "0x1p3", "1e400",
                                  "1.2.3", "1 2", "1e", "1f"}) {
      const std::string row = std::string("1,") + odd + ",0\n";
      const std::string sentence =
          std::string("1:3: expected a number in column 1, got '") + odd + "'";

      CHECK(refusal(row) == ("f.csv:" + sentence));
      CHECK_THROWS_AS(read("1,2,0\n" + row), DataError);
    }
  }

  TEST_CASE("takes underflow for zero") {
    CHECK(read("1e-400,2,0\n").dataset.features(0, 0) == 0.0);
  }

  TEST_CASE("refuses missing values and says what to do") {
    CHECK(
        refusal("a,b,label\n1,,0\n") ==
        "f.csv:2:3: expected a number in column 'b', got an empty field; fill "
        "in the missing value or remove the row");
    CHECK(refusal("1,2,0\n1,NA,0\n") ==
          "f.csv:2:3: expected a number in column 1, got 'NA'; fill in the "
          "missing value or remove the row");
    CHECK(refusal("1,NaN,0\n1,2,1\n") ==
          "f.csv:1:3: expected a number in column 1, got 'NaN'; fill in the "
          "missing value or remove the row");
    CHECK(
        refusal("1,2,a\n1,2,\n") ==
        "f.csv:2:5: expected a label in column 2, got an empty field; fill in "
        "the missing value or remove the row");
  }

  TEST_CASE("refuses non-finite labels among numbers and among texts") {
    CHECK(refusal("1,2,0\n1,2,inf\n") ==
          "f.csv:2:5: expected a label in column 2, got 'inf'");
    CHECK_THROWS_AS(read("1,2,a\n1,2,nan\n"), DataError);
    CHECK_THROWS_AS(read("1,2,0\n1,2,1e400\n"), DataError);
  }

  TEST_CASE("refuses weights that are negative or no finite number") {
    CHECK(
        refusal("a,w,label\n1,1,0\n2, -0.5,1\n", weight("w")) ==
        "f.csv:3:4: expected a weight of 0 or more in column 'w', got '-0.5'");
    CHECK(refusal("1,2,0\n1,x,0\n", weight("1")) ==
          "f.csv:2:3: expected a weight of 0 or more in column 1, got 'x'");
    CHECK(refusal("1,2,0\n1,,0\n", weight("1")) ==
          "f.csv:2:3: expected a weight of 0 or more in column 1, got an empty "
          "field; fill in the missing value or remove the row");
    for (const std::string odd : {"nan", "inf", "1e400", "-1e-300"}) {
      CHECK_THROWS_AS(read("1,2,0\n1," + odd + ",0\n", weight("1")), DataError);
    }
  }

  TEST_CASE("refuses rows of another length") {
    CHECK(refusal("1,2,0\n1,2\n") ==
          "f.csv:2:1: expected 3 fields as in the first row, got 2");
    CHECK(refusal("1,2,0\n1,2,0,4,5\n") ==
          "f.csv:2:7: expected 3 fields as in the first row, got 5");
    CHECK(refusal("1,2,0\n1,2,0,") ==
          "f.csv:2:7: expected 3 fields as in the first row, got 4");
  }

  TEST_CASE("refuses files without instances") {
    CHECK(refusal("") == "f.csv: holds no data; expected rows of numbers");
    CHECK(refusal("a,b,label\n") ==
          "f.csv:1:1: there is only a header; expected rows of numbers");
  }

  TEST_CASE("refuses binary files and missing ones") {
    CHECK_THROWS_AS(read(std::string("1,\0,2\n", 6)), DataError);
    CHECK_THROWS_WITH_AS(
        read_csv_file("/no/such.csv"),
        "/no/such.csv: cannot be opened: No such file or directory", DataError);
  }

  TEST_CASE("reads the same whatever the number of threads") {
    for (const std::string label : {"1", "\"setosa\"", "virginica"}) {
      for (const std::string line_end : {"\n", "\r\n"}) {
        const std::string text = random_table(label, line_end);

        CHECK(check_same(text).empty());
        CHECK(check_same("a,\"b\nc\",label\n" + text + "\n \n\n").empty());
        CHECK(
            check_same(text.substr(0, text.size() - line_end.size())).empty());
        CHECK(read_by(2, text).data.num_instances() == kManyRows);
      }
    }
  }

  TEST_CASE("reads quoted line ends the same whatever the number of threads") {
    const std::string text = random_table("x", "\n");

    for (std::size_t from = 1000; from < text.size(); from += 700000) {
      CHECK(check_same(with_line(text, from, "1,2,\"a\nb\"\n")).empty());
    }
    CHECK(check_same("1,2,\"" + std::string(400000, '\n') + "\"\n" + text)
              .empty());
  }

  TEST_CASE("reads weights the same whatever the number of threads") {
    const std::string text = random_table("0.5", "\n");
    CsvOptions options = weight("-1");
    options.num_features = 1;

    CHECK(check_same(text, options).empty());
    CHECK(check_same(with_line(text, 9000, "1,x,\"2\"\n"), options).empty());
    CHECK(read_by(2, text, options).data.weights ==
          Vector::Constant(kManyRows, 0.5));
    const std::string broken = with_line(
        with_line(text, text.size() / 2, "1,2,-1\n"), 9000, "1,2,nan\n");
    CHECK(check_same(broken, options).find("column 2, got 'nan'") !=
          std::string::npos);
  }

  TEST_CASE("takes all labels for texts wherever the first text is") {
    const std::string text = random_table("1", "\n");

    for (const std::size_t from : {std::size_t{0}, text.size() / 2}) {
      const std::string mixed = with_line(text, from, "1,2,x\n");
      CHECK(check_same(mixed).empty());
      CHECK(read_by(2, mixed).data.label_texts.size() == kManyRows + 1);
    }
  }

  TEST_CASE("refuses with the first error whatever the number of threads") {
    const std::string text = random_table("1", "\n");

    for (const std::string wrong : {"1,x,0\n", "1,2\n", "1,2,3,4\n", "1,,0\n",
                                    "1,2,nan\n", "1,\"2,3\n", "1,\"2\"x,3\n"}) {
      std::string broken = text;
      for (std::size_t i = 5; i-- > 1;) {
        broken = with_line(broken, text.size() / 5 * i, wrong);
        const std::string sentence = check_same(broken);
        CHECK(sentence.find("f.csv:") == 0);
      }
    }
  }

  TEST_CASE("refuses a late NUL byte before an early wrong field") {
    std::string text = "1,x,0\n" + random_table("1", "\n");
    text[text.size() / 2] = '\0';

    CHECK(check_same(text).find("there is a NUL byte") != std::string::npos);
  }

  TEST_CASE("skips empty lines whatever the number of threads") {
    const std::string text = random_table("1", "\n");
    const std::string gaps =
        with_line(with_line(text, text.size() / 2, "\n\n"), 5000, "  \n");

    CHECK(check_same(gaps).empty());
    CHECK(read_by(2, gaps).data.features == read_by(2, text).data.features);
    CHECK(read(gaps).num_empty_lines == 3);
    CHECK(read("a,b\n1,x\n2,y\n\n").num_empty_lines == 0);
  }
}

}  // namespace mlp::datasets
