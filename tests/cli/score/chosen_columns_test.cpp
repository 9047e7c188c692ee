// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Which columns of a CSV file are read: the same in train, evaluate and predict.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../run_program.hpp"

using mlp::test::run_program;
using mlp::test::ScratchFolder;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

std::string output_of(const Words& words) {
  const auto result = run_program(words);
  INFO(result.messages);
  REQUIRE(result.exit_code == 0);
  return result.output;
}

/// Trains on a file and returns the path of the model.
std::string train(const ScratchFolder& folder, const std::string& data,
                  const Words& flags = {}) {
  Words words = {"train",   data,           "--layers", "2,2,2",
                 "--quiet", "--max-iter=3", "-o",       folder / "model.json"};
  words.insert(words.end(), flags.begin(), flags.end());
  output_of(words);
  return folder / "model.json";
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr const char* kWithIndex =
    ",a,b,kind\n0,0,5,x\n1,1,6,y\n2,0,7,x\n3,1,9,y\n";
constexpr const char* kWithoutIndex = "a,b,kind\n0,5,x\n1,6,y\n0,7,x\n1,9,y\n";

}  // namespace

TEST_SUITE("cli/score/chosen_columns") {
  TEST_CASE("says that columns without names are taken by position") {
    const ScratchFolder folder;
    const std::string data = folder.write("data.csv", kWithoutIndex);
    const std::string model = train(folder, data, {"--features", "b,a"});
    const std::string rows = folder.write("rows.csv", "5,0\n6,1\n");

    CHECK(run_program({"predict", model, data}).messages.empty());
    CHECK(
        run_program({"predict", model, rows}).messages ==
        "mlp: note: '" + rows +
            "' has no header, so its columns are taken as the features of the "
            "model in their order: 'b', 'a'\n");
  }

  TEST_CASE("an index column changes neither the model nor its scores") {
    const ScratchFolder folder;
    const std::string indexed = folder.write("i.csv", kWithIndex);
    const std::string plain = folder.write("p.csv", kWithoutIndex);

    const std::string model = train(folder, indexed);
    const Words columns = {"--output", "prediction,rawPrediction", "-q"};
    Words words = {"predict", model, indexed};
    words.insert(words.end(), columns.begin(), columns.end());
    const std::string of_indexed = output_of(words);
    words[2] = plain;

    CHECK(output_of(words) == of_indexed);
    words[1] = train(folder, plain);
    CHECK(output_of(words) == of_indexed);
  }

  TEST_CASE("a header of numbers is a header in evaluate as in train") {
    const ScratchFolder folder;
    const std::string data =
        folder.write("n.csv", "0,1,2\n5,6,0\n7,8,1\n9,1,0\n");
    const std::string model = train(folder, data);

    const json metrics =
        json::parse(output_of({"evaluate", model, data, "--json", "-q"}));

    CHECK(metrics["rows"] == 3);
  }

  TEST_CASE("the first column of data without a header is the label") {
    const ScratchFolder folder;
    const std::string data =
        folder.write("l.csv", "T,2,2\nI,5,5\nT,2,2\nI,9,9\n");
    const std::string model = train(folder, data, {"--label", "0"});

    const json metrics = json::parse(
        output_of({"evaluate", model, data, "--label", "0", "--json", "-q"}));

    CHECK(metrics["rows"] == 4);
  }

  TEST_CASE("chosen and ignored columns give one model") {
    const ScratchFolder folder;
    const std::string data = folder.write(
        "d.csv", "id,a,b,kind\np,0,5,x\nq,1,6,y\nr,0,7,x\ns,1,9,y\n");
    const std::string expected = output_of(
        {"inspect", train(folder, folder.write("p.csv", kWithoutIndex))});

    CHECK(output_of({"inspect", train(folder, data, {"--ignore", "id"})}) ==
          expected);
    CHECK(output_of({"inspect", train(folder, data, {"--features", "a,b"})}) ==
          expected);
  }

  TEST_CASE("JSON Lines have the numbers of CSV and the kept texts") {
    const ScratchFolder folder;
    const std::string data =
        folder.write("d.csv", "id,a,b\n007,0,5\n\"x,\"\"y\"\"\",1,6\n");
    const std::string model =
        train(folder, folder.write("p.csv", kWithoutIndex));
    const Words words = {"predict",     model,    data, "--output",
                         "probability", "--keep", "id"};
    Words as_lines = words;
    as_lines.insert(as_lines.end(), {"-o", folder / "out.jsonl", "-q"});

    const Words rows = lines_of(output_of(words));
    output_of(as_lines);

    const Words lines = lines_of(read_text(folder / "out.jsonl"));
    REQUIRE(lines.size() == 2);
    const json first = json::parse(lines[0]);
    CHECK(rows[0] == "id,probability_x,probability_y");
    CHECK(rows[1] == "007," + first["probability"]["x"].dump() + ',' +
                         first["probability"]["y"].dump());
    CHECK(first["id"] == "007");
    CHECK(json::parse(lines[1])["id"] == "x,\"y\"");
    CHECK(rows[2].rfind("\"x,\"\"y\"\"\",", 0) == 0);
  }
}
