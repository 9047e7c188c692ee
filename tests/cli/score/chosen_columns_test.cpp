// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Which columns of a CSV file are read: the same in train, evaluate and predict; the
// label is that of the training.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

Words train_words(const ScratchFolder& folder, const std::string& data,
                  const Words& flags = {}) {
  return with({"train", data, "--layers", "2,2,2", "--quiet", "--max-iter=3",
               "-o", folder / "model.json"},
              flags);
}

/// Trains on a file and returns the path of the model.
std::string train(const ScratchFolder& folder, const std::string& data,
                  const Words& flags = {}) {
  output_of(train_words(folder, data, flags));
  return folder / "model.json";
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

constexpr const char* kWithIndex =
    ",a,b,kind\n0,0,5,x\n1,1,6,y\n2,0,7,x\n3,1,9,y\n";
constexpr const char* kWithoutIndex = "a,b,kind\n0,5,x\n1,6,y\n0,7,x\n1,9,y\n";

constexpr const char* kFlowers = "x,y,flower\n0,5,a\n1,6,b\n0,7,a\n1,9,b\n";
constexpr const char* kLabelFirst = "a,0,5\nb,1,6\na,0,7\nb,1,9\n";

/// Trains on a text and returns the path of the model.
std::string train_on(const ScratchFolder& folder, const std::string& text,
                     const Words& flags = {}) {
  return train(folder, folder.write("train.csv", text), flags);
}

/// Checks that a file is refused with a sentence behind its name.
void refuses(const Words& words, const std::string& file,
             const std::string& sentence) {
  const auto result = run_program(words);
  CHECK(result.exit_code == 3);
  CHECK(result.output.empty());
  CHECK(result.messages == "mlp: error: " + file + ":1:1: " + sentence + '\n');
}

std::string lacks_flower(const std::string& columns,
                         const std::string& nearest = "") {
  return "expected the label column of the training, 'flower', got the "
         "columns " +
         columns + "; if the label has another name" +
         (nearest.empty() ? "" : ", such as " + nearest) +
         ", name it: --label COL";
}

json metrics_of(Words words) {
  words.push_back("--json");
  return json::parse(output_of(words));
}

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
    Words words = with({"predict", model, indexed}, columns);
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

    const Words lines = lines_of(read_bytes(folder / "out.jsonl"));
    REQUIRE(lines.size() == 2);
    const json first = json::parse(lines[0]);
    CHECK(rows[0] == "id,probability_x,probability_y");
    CHECK(rows[1] == "007," + first["probability"]["x"].dump() + ',' +
                         first["probability"]["y"].dump());
    CHECK(first["id"] == "007");
    CHECK(json::parse(lines[1])["id"] == "x,\"y\"");
    CHECK(rows[2].rfind("\"x,\"\"y\"\"\",", 0) == 0);
  }

  TEST_CASE("evaluate refuses a file without the label of the training") {
    const ScratchFolder folder;
    const std::string model = train_on(folder, kFlowers);
    const std::string other =
        folder.write("o.csv", "x,y,class\n0,5,a\n1,6,b\n");
    const std::string near =
        folder.write("n.csv", "Flower,x,y\na,0,5\nb,1,6\n");

    refuses({"evaluate", model, other}, other,
            lacks_flower("'x', 'y', 'class'"));
    refuses({"evaluate", model, near}, near,
            lacks_flower("'Flower', 'x', 'y'", "'Flower'"));
    CHECK(metrics_of({"evaluate", model, other, "--label", "class"})["rows"] ==
          2);
  }

  TEST_CASE(
      "evaluate refuses a file without a header for a label with a name") {
    const ScratchFolder folder;
    const std::string model = train_on(folder, kFlowers);
    const std::string rows = folder.write("r.csv", "0,5,a\n1,6,b\n");

    refuses({"evaluate", model, rows, "-q"}, rows,
            "there is no header, so nothing tells which column is 'flower', "
            "the label of the training; name it by its index: --label COL");
    CHECK(metrics_of({"evaluate", model, rows, "--label", "2"})["rows"] == 2);
  }

  TEST_CASE(
      "evaluate takes the label by the index of a training without names") {
    const ScratchFolder folder;
    const std::string model = train_on(folder, kLabelFirst, {"--label", "-3"});
    const std::string rows = folder / "train.csv";
    const std::string narrow = folder.write("n.csv", "1,2\n3,4\n");

    CHECK(json::parse(read_bytes(model))["input"]["label"] == "0");
    CHECK(metrics_of({"evaluate", model, rows}) ==
          metrics_of({"evaluate", model, rows, "--label", "0"}));
    CHECK(run_program({"inspect", model})
              .output.find("label        column 0\n") != std::string::npos);
    refuses(
        {"evaluate", train_on(folder, "0,5,a\n1,6,b\n0,7,a\n"), narrow}, narrow,
        "expected the label in column 2, as in the training, got 2 columns; "
        "if it is another column, name it: --label COL");
  }

  TEST_CASE("--validation refuses a file without the label of the training") {
    const ScratchFolder folder;
    const std::string data = folder.write("d.csv", kFlowers);
    const std::string other =
        folder.write("o.csv", "x,y,class\n0,5,a\n1,6,b\n");

    for (const Words& flags : {Words{}, Words{"--label", "2"}}) {
      refuses(with(train_words(folder, data, flags), {"--validation", other}),
              other, lacks_flower("'x', 'y', 'class'"));
    }
  }

  TEST_CASE("--validation takes the label wherever it stands") {
    const ScratchFolder folder;
    const std::string data = folder.write("d.csv", kFlowers);
    for (const char* const text :
         {"class,flower,y,x\n3,a,5,0\n4,b,6,1\n", "0,5,a\n1,6,b\n"}) {
      const std::string other = folder.write("v.csv", text);
      for (const Words& label : {Words{}, Words{"--label", "2"}}) {
        CHECK(metrics_of(with(train_words(folder, data, label),
                              {"--validation", other}))["validationRows"] == 2);
      }
    }
  }

  TEST_CASE("--warm-start refuses a file without the label of its model") {
    const ScratchFolder folder;
    const std::string model = train_on(folder, kFlowers);
    const std::string other =
        folder.write("o.csv", "x,y,class\n0,5,a\n1,6,b\n");
    const Words words = {"train", other, "--warm-start",        model,
                         "-q",    "-o",  folder / "second.json"};

    refuses(words, other, lacks_flower("'x', 'y', 'class'"));
  }

  TEST_CASE("predict tells features of one name apart by their order") {
    const ScratchFolder folder;
    const std::string model =
        train_on(folder, "x,x,kind\n0,5,a\n1,6,b\n0,7,a\n1,9,b\n");
    const auto predict = [&](const std::string& text) {
      return run_program({"predict", model, folder.write("p.csv", text),
                          "--output", "rawPrediction"});
    };

    CHECK(json::parse(read_bytes(model))["input"]["featureNames"] ==
          json{"x", "x"});
    CHECK(predict("kind,x,id,x\na,0,q,5\nb,1,r,6\n").output ==
          predict("x,x\n0,5\n1,6\n").output);
    const auto once = predict("x,y\n0,5\n");
    CHECK(once.exit_code == 3);
    CHECK(once.messages ==
          "mlp: error: " + folder / "p.csv" +
              ":1:1: 1 column is named 'x'; expected 2, because only their "
              "order tells them apart\n");
  }

  TEST_CASE("names and classes have no power over the terminal") {
    const ScratchFolder folder;
    const std::string model =
        train_on(folder,
                 "\x1B[31mx,y\xE2\x80\xAE,kind\n0,5,\xC2\x9B"
                 "a\n1,6,b\n");
    const std::string rows = folder / "train.csv";

    const std::string inspected = run_program({"inspect", model}).output;
    const std::string evaluated = run_program({"evaluate", model, rows}).output;

    CHECK(inspected.find("features     \\x1b[31mx, y\\u202e\n") !=
          std::string::npos);
    CHECK(evaluated.find("\\u009ba") != std::string::npos);
    CHECK(run_program({"inspect", rows}).output.find("y\\u202e ") !=
          std::string::npos);
    for (const std::string& text : {inspected, evaluated}) {
      CHECK(text.find('\x1B') == std::string::npos);
      CHECK(text.find("\xC2\x9B") == std::string::npos);
      CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
    }
    CHECK(run_program({"predict", model, rows})
              .output.find("\xC2\x9B"
                           "a") != std::string::npos);
  }
}

}  // namespace mlp::test
