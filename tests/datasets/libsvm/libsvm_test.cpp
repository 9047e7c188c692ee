// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/libsvm/libsvm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "../../../core/number_text.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets {

namespace {

Dataset read(const std::string& text, Index num_features = 0) {
  return read_libsvm(text, "f.svm", num_features);
}

void check_refused(const std::string& text, const std::string& message,
                   Index num_features = 0) {
  CHECK_THROWS_WITH_AS(read(text, num_features), ("f.svm:" + message).c_str(),
                       DataError);
}

/// Lines enough for several threads and many pieces.
std::string random_lines() {
  std::mt19937_64 random(1);
  std::string text = "# many\n\n";
  for (int i = 0; i < 100000; ++i) {
    text += std::to_string(random() % 3);
    for (int index = 1; index < 8; ++index) {
      const auto kind = random() % 4;
      if (kind == 0) continue;
      text += ' ' + std::to_string(index) + ':';
      text += kind == 1
                  ? "0"
                  : std::to_string(static_cast<double>(random() % 5000) / 1000);
    }
    text += random() % 50 == 0 ? "\r\n# comment\n" : "\n";
  }
  return text;
}

/// Compares what one thread gives with what several give.
/// \returns the sentence of a refusal
std::string check_same(const std::string& text) {
  Dataset data;
  const std::string expected =
      test::thrown_message<DataError>([&] { data = read(text); });
  for (const int num_threads : {2, 3}) {
    Dataset other;
    const std::string sentence = test::thrown_message<DataError>(
        [&] { other = read_libsvm(text, "f.svm", 0, num_threads); });
    CHECK(sentence == expected);
    CHECK(other.features == data.features);
    CHECK(other.labels == data.labels);
    CHECK(other.lines == data.lines);
    CHECK(other.stored_zeros == data.stored_zeros);
  }
  return expected;
}

}  // namespace

TEST_SUITE("datasets/libsvm/libsvm") {
  TEST_CASE("reads the sample file of Spark's guide") {
    const Dataset data = read_libsvm_file(
        MLP_DATA_DIR "/sample_multiclass_classification_data.txt");

    CHECK(data.num_instances() == 150);
    CHECK(data.num_features() == 4);
    CHECK(data.vector_kind == VectorKind::kSparse);
    CHECK(data.labels.head(4) == Eigen::Vector4d::Ones());
    CHECK(data.features.col(0) ==
          Eigen::Vector4d(-0.222222, 0.5, -0.762712, -0.833333));
    CHECK((data.labels.array() == 2.0).count() == 50);
  }

  TEST_CASE("fills features that a line leaves out with zeros") {
    const Dataset data = read("1 2:5\n-1\n+0.5 1:1 3:2e1\n");

    CHECK(data.features == Matrix{{0, 0, 1}, {5, 0, 0}, {0, 0, 20}});
    CHECK(data.labels == Eigen::Vector3d(1, -1, 0.5));
    CHECK(data.stored_zeros.empty());
  }

  TEST_CASE("ignores comments and empty lines and counts them") {
    const Dataset data = read("# a b:c\n\n1 1:2\r\n  #x\n \t0\t1:3 \n");

    CHECK(data.features == Matrix{{2, 3}});
    CHECK(data.lines == std::vector<Index>{3, 5});
  }

  TEST_CASE("keeps the zeros that the file states") {
    const Dataset data = read("1 1:0 2:1\n0 1:4 3:-0.0\n");

    CHECK(data.stored_zeros == std::vector<StoredZero>{{0, 0}, {1, 2}});
    CHECK(data.num_features() == 3);
  }

  TEST_CASE("widens instances to the number of features asked for") {
    CHECK(read("1 1:2\n", 3).features == Matrix{{2}, {0}, {0}});
    CHECK(read("1\n", 2).features == Matrix{{0}, {0}});
  }

  TEST_CASE("refuses indices that are not positive and ascending") {
    check_refused("1 1:2\n1 0:2\n",
                  "2:3: expected an index of 1 or more, got '0'; write indices "
                  "from 1, in scikit-learn with dump_svmlight_file(..., "
                  "zero_based=False)");
    check_refused("1 -3:2\n", "1:3: expected an index of 1 or more, got '-3'");
    check_refused("1 a:2\n", "1:3: expected an index of 1 or more, got 'a'");
    check_refused("1 2:1 1:1\n",
                  "1:3: expected ascending indices, got 2 before 1");
    check_refused("1 2:1 1:1 3:1\n",
                  "1:7: expected ascending indices, got 1 after 2");
    check_refused("1 2:1\t2:1\n",
                  "1:7: expected ascending indices, got 2 after 2");
  }

  TEST_CASE("refuses an index beyond the number of features") {
    check_refused("1 4:2\n", "1:3: expected an index of at most 3, got 4", 3);
  }

  TEST_CASE("refuses an absurd index before it takes memory") {
    check_refused("1 1:1\n0 1:1 2147483648:1\n",
                  "2:7: the index is too large; expected at most 1048576, got "
                  "2147483648");
    check_refused("1 9223372036854775807:1\n",
                  "1:3: the index is too large; expected at most 1048576, got "
                  "9223372036854775807");
    check_refused("1 99999999999999999999:1\n",
                  "1:3: expected an index of 1 or more, got "
                  "'99999999999999999999'");
  }

  TEST_CASE("refuses a file whose dense matrix would dwarf it") {
    std::string text = "1 1048576:1\n";
    for (int i = 0; i < 20; ++i) text += "0\n";

    check_refused(text,
                  " is too sparse to be held as a dense matrix; expected at "
                  "most 67162112 bytes for a file of this size, got 21 "
                  "instances of 1048576 features; check the largest index");
  }

  TEST_CASE("refuses labels and values that are not numbers") {
    check_refused("x 1:2\n", "1:1: expected a number as the label, got 'x'");
    check_refused("1,2 1:2\n",
                  "1:1: expected a number as the label, got '1,2'");
    check_refused("1 1:2 2:nan\n", "1:9: expected a number, got 'nan'");
    check_refused("1 1:1e400\n", "1:5: expected a number, got '1e400'");
    check_refused("1 1:\n", "1:5: expected a number, got ''");
  }

  TEST_CASE("refuses a file without any pair at its first wrong label") {
    check_refused("1\n0,0,1\n",
                  "2:1: expected a number as the label, got '0,0,1'");
  }

  TEST_CASE("refuses tokens that are no pairs") {
    check_refused("1 1:2 7\n", "1:7: expected index:value, got '7'");
    check_refused("1 qid:3 1:2\n",
                  "1:3: expected an index of 1 or more, got 'qid'");
    check_refused("1 1:2 # end\n", "1:7: expected index:value, got '#'");
  }

  TEST_CASE("refuses files without instances and binary ones") {
    check_refused("# nothing\n",
                  " holds no data; expected lines of label index:value ...");
    CHECK_THROWS_AS(read(std::string("1 1:\0", 5)), DataError);
    CHECK_THROWS_WITH_AS(read("1 1:2\n", -1),
                         "num_features must be 0 or more, got -1", ParamError);
  }

  TEST_CASE("reads every beginning of a file or refuses it") {
    const std::string text = "1 1:2 3:-4.5e1\n# x\n0 2:0\n";

    for (std::size_t size = 0; size <= text.size(); ++size) {
      Index num_instances = 0;
      try {
        num_instances = read(text.substr(0, size)).num_instances();
      } catch (const DataError& error) {
        CHECK(error.file() == "f.svm");
      }
      CHECK(num_instances <= 2);
    }
  }

  TEST_CASE("rounds each value of every form exactly") {
    std::mt19937_64 random(3);
    std::vector<double> numbers;
    std::string text = "1";
    for (int i = 1; i <= 3000; ++i) {
      double number = static_cast<double>(random() % 1000000) / 7919 - 60;
      if (i % 3 == 0) number = std::round(number);
      text += ' ' + std::to_string(i) + ':';
      const auto size = text.size();
      append_double(text, number);
      if (i % 3 == 1) text.resize(std::min(text.size(), size + 8));
      numbers.push_back(parse_double(text.substr(size)).value());
    }

    const Dataset data = read(text);

    REQUIRE(data.num_features() == 3000);
    CHECK(data.features ==
          Eigen::Map<const Matrix>(numbers.data(), 3000, 1).eval());
  }

  TEST_CASE("reads the same whatever the number of threads") {
    const std::string text = random_lines();

    CHECK(check_same(text).empty());
    CHECK(check_same(text + "1 1:2").empty());
    CHECK(read(text).num_instances() == 100000);
    CHECK(read(text).num_features() == 7);
  }

  TEST_CASE("finds the largest index in any part of a long file") {
    const std::string text = random_lines();

    CHECK(read("1 9:2\n" + text).num_features() == 9);
    CHECK(read(text + "1 9:2\n").num_features() == 9);
  }

  TEST_CASE("refuses with the first error whatever the number of threads") {
    const std::string text = random_lines();

    for (const std::string wrong :
         {"1 1:x 2:1\n", "1 2:1 1:1 3:1\n", "1 1:2 z\n", "y 1:1\n",
          "1 1:1 0:2\n", "1 1:1 99999999:1\n"}) {
      std::string broken = text;
      for (std::size_t i = 5; i-- > 1;) {
        broken.insert(broken.find('\n', text.size() / 5 * i) + 1, wrong);
        CHECK(check_same(broken).find("f.svm:") == 0);
      }
    }
  }
}

}  // namespace mlp::datasets
