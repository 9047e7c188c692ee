// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/score/piecewise_predictions.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../run_program.hpp"

namespace mlp::test {

namespace {

/// More than two pieces of a file.
constexpr int kNumRows = 60'000;

std::string make_rows() {
  std::string text = "id,x,y\n";
  for (int i = 0; i < kNumRows; ++i) {
    text += "\"n " + std::to_string(i) + "\"," + std::to_string(i % 10) + ',' +
            std::to_string(i % 3) + ".25\n";
  }
  return text;
}

/// A model of x and y, and a large file of these.
struct Example {
  /// \param more  flags of the training
  explicit Example(const std::vector<std::string>& more = {}) {
    const std::string few = folder.write(
        "four.csv", "x,y,class\n0,0,no\n0,1,no\n9,0,yes\n9,1,\"yes\"\n");
    std::vector<std::string> flags = {"train", few,  "--layers", "2,2",
                                      "-q",    "-o", model};
    flags.insert(flags.end(), more.begin(), more.end());
    REQUIRE(run_program(flags).exit_code == 0);
  }

  /// Runs predict with a file as output.
  [[nodiscard]] ProgramResult predict(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"predict", model, data, "--out", out});
    return run_program(flags);
  }

  /// Runs predict with standard output, which reads the data as a whole.
  [[nodiscard]] ProgramResult print(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"predict", model, data});
    return run_program(flags);
  }

  ScratchFolder folder;
  std::string model = folder / "model.json";
  std::string data = folder / "data.csv";
  std::string out = folder / "out.csv";
};

}  // namespace

TEST_SUITE("cli/score/piecewise_predictions") {
  TEST_CASE("writes the bytes that the whole data give") {
    const Example example;
    example.folder.write("data.csv", make_rows());
    const std::vector<std::vector<std::string>> cases = {
        {"--ignore", "id"},
        {"--ignore", "id", "--output", "prediction,probability,rawPrediction"},
        {"--keep", "id,x"},
        {"--keep", "id", "--format", "jsonl", "--output", "probability"},
        {"--label", "id"},
        {"--ignore", "id", "--backend", "reference"},
        {"--ignore", "id", "--unknown", "ignore", "-v"}};
    for (std::vector<std::string> flags : cases) {
      const ProgramResult expected = example.print(flags);
      REQUIRE(expected.output.size() > kNumRows);
      for (const char* num_threads : {"1", "2", "5"}) {
        std::vector<std::string> with_threads = flags;
        with_threads.insert(with_threads.end(), {"--threads", num_threads});

        const ProgramResult result = example.predict(with_threads);

        CHECK(result.messages ==
              expected.messages + "mlp: note: wrote the predictions of " +
                  "60000 instances to " + example.out + '\n');
        CHECK((read_bytes(example.out) == expected.output));
      }
    }
  }

  TEST_CASE("says that empty lines are skipped, as for the whole data") {
    const Example example;
    example.folder.write("data.csv", make_rows() + "\nn,1,2\n");
    const ProgramResult expected = example.print({"--ignore", "id"});

    const ProgramResult result =
        example.predict({"--ignore", "id", "--threads", "3"});

    CHECK(expected.messages ==
          "mlp: note: " + example.data + ": 1 empty line is skipped\n");
    CHECK(result.messages == expected.messages +
                                 "mlp: note: wrote the predictions of 60001 " +
                                 "instances to " + example.out + '\n');
    CHECK((read_bytes(example.out) == expected.output));
  }

  TEST_CASE("fills in a missing value, as for the whole data") {
    const Example example({"--standardize"});
    example.folder.write("data.csv", make_rows() + "n,,1\n");
    const ProgramResult expected = example.print({"--ignore", "id"});

    const ProgramResult result = example.predict({"--ignore", "id"});

    CHECK(expected.messages ==
          "mlp: note: " + example.data +
              ": 1 missing value in 1 of 60001 rows replaced by the values of "
              "the model; most in column 'x' (1)\n");
    CHECK(result.messages == expected.messages +
                                 "mlp: note: wrote the predictions of 60001 " +
                                 "instances to " + example.out + '\n');
    CHECK((read_bytes(example.out) == expected.output));
  }

  TEST_CASE("keeps the old file and reports what loading the data reports") {
    const Example example;
    example.folder.write("out.csv", "old");
    const std::vector<std::string> rests = {"n,1,x\n", "n,1\n", "n,1,\n",
                                            "\"n,1,2\n"};
    for (const std::string& rest : rests) {
      CAPTURE(rest);
      example.folder.write("data.csv", make_rows() + rest);
      const ProgramResult expected = example.print({"--ignore", "id"});

      const ProgramResult result =
          example.predict({"--ignore", "id", "--threads", "3"});

      CHECK(expected.exit_code == 3);
      CHECK(expected.output == "");
      CHECK(result.exit_code == 3);
      CHECK(result.messages == expected.messages);
      CHECK(read_bytes(example.out) == "old");
      CHECK(example.folder.num_files() == 4);
    }
  }

  TEST_CASE("names the kept text that JSON cannot store") {
    const Example example;
    example.folder.write("data.csv", make_rows() + "\xFF,1,2\n");
    const std::vector<std::string> flags = {"--keep", "id", "--format",
                                            "jsonl"};
    const ProgramResult expected = example.print(flags);

    const ProgramResult result = example.predict(flags);

    CHECK(result.exit_code == 3);
    CHECK(result.messages == expected.messages);
    CHECK(result.messages.find(":60002") != std::string::npos);
    CHECK(read_bytes(example.out) == "");
  }

  TEST_CASE("reads rows in quotes that are several lines") {
    const Example example;
    example.folder.write("data.csv", make_rows() + "\"two\nlines\",1,2\n");

    const ProgramResult result = example.predict({"--keep", "id"});

    CHECK(result.exit_code == 0);
    CHECK(read_bytes(example.out).find("\"two\nlines\",") != std::string::npos);
  }
}

}  // namespace mlp::test
