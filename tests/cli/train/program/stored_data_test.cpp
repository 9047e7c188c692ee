// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../run_program.hpp"

using namespace mlp::test;

namespace {

/// Rows with texts, missing values, weights and groups of digits, 2 MB of text.
std::string make_table() {
  std::string text = "size,color,code,count,weight,class\n";
  unsigned state = 1;
  const auto draw = [&](unsigned size) {
    state = state * 1664525U + 1013904223U;
    return (state >> 16) % size;
  };
  for (int i = 0; i < 20000; ++i) {
    const unsigned size = draw(1000);
    const unsigned color = draw(4);
    const bool is_large = size + 100 * color + draw(200) > 700;
    text += draw(50) == 0 ? "" : std::to_string(size) + ".25";
    text += ',';
    text += color == 0 ? "red" : color == 1 ? "\"light\nblue\"" : "green";
    text += ",k" + std::to_string(draw(30)) + ',' + std::to_string(draw(7)) +
            ',' + std::to_string(1 + draw(3)) + ',' +
            (is_large ? "large" : "small") + '\n';
  }
  return text;
}

/// Trains with a limit of the memory for data, or without one, and returns the model.
std::string train(const ScratchFolder& folder, const std::string& data,
                  const std::string& flags, bool is_limited) {
  const std::string model = folder / "m.json";
  const std::string limit =
      " --memory 1MB --cache-dir " MLP_TEST_DATA_DIR " -v ";
  const ProgramResult result =
      Program({"-c", "exec " MLP_PROGRAM " train " + data + ' ' + flags +
                         (is_limited ? limit : " -v ") + "-o " + model},
              "/bin/sh")
          .finish();
  CHECK_MESSAGE(result.exit_code == 0, result.messages);
  const bool is_stored =
      result.messages.find("the features are kept in a file in ") !=
      std::string::npos;
  CHECK(is_stored == is_limited);
  return read_bytes(model);
}

void check_models(const std::string& table,
                  const std::vector<std::string>& flags) {
  const ScratchFolder folder;
  const std::string data =
      table.empty() ? data_file("digits.csv") : folder.write("t.csv", table);
  for (const std::string& some : flags) {
    CAPTURE(some);
    const std::string expected = train(folder, data, some, false);
    CHECK_FALSE(expected.empty());
    const bool is_same = train(folder, data, some, true) == expected;
    CHECK(is_same);
  }
}

}  // namespace

TEST_SUITE("cli/train/program/stored_data") {
  TEST_CASE("features in a file give the same model file") {
    check_models(
        "", {"--layers 64,20,10 --max-iter 5",
             "--layers 64,20,10 --max-iter 3 --solver adam --shuffle rows",
             "--layers 64,20,10 --max-iter 3 --solver adam --shuffle slabs "
             "--precision float32",
             "--layers 64,20,10 --max-iter 3 --split 0.7,0.3 --partitions 3",
             "--layers 64,20,10 --max-iter 3 --folds 3",
             "--layers 64,20,10 --max-iter 3 --validation 0.2 --stratify",
             "--layers 64,20,10 --max-iter 3 --scale 16 --backend reference",
             "--task regression --layers 64,5,1 --max-iter 3",
             "--effort quick --max-iter 3 --numeric-encoding quantile:4"});
  }

  TEST_CASE("so do texts, missing values and weights") {
    check_models(
        make_table(),
        {"--effort quick --max-iter 5 --weight-col weight",
         "--effort quick --max-iter 5 --missing drop --split 0.8,0.2",
         "--effort standard --max-iter 4 --folds 2 --coverage 0.9",
         "--task regression --label size --missing drop --effort quick "
         "--max-iter 3",
         "--effort quick --max-iter 3 --split 0.7,0.3",
         "--effort quick --max-iter 3 --group code --folds 2",
         "--task regression --label count,weight --missing drop --max-iter 3 "
         "--effort quick"});
  }

  TEST_CASE("mini-batches of a file take slabs, and the model file says so") {
    const ScratchFolder folder;
    const std::string flags = "--layers 64,20,10 --max-iter 3 --solver adam ";
    const std::string data = data_file("digits.csv");

    const std::string model = train(folder, data, flags, true);

    CHECK(model.find("\"shuffle\":\"slabs\"") != std::string::npos);
    const bool is_same =
        model == train(folder, data, flags + "--shuffle slabs", false);
    CHECK(is_same);
  }

  TEST_CASE("more compressed files than the soft limit of open files") {
    const ScratchFolder folder;
    const std::string command =
        "cd " + folder.path() +
        " && mkdir d && (echo x,y,class && seq 1 1000 | sed 's/.*/&,1,a/' && "
        "seq 1 1000 | sed 's/.*/2,&,b/') | gzip > d/0.csv.gz && i=1 && "
        "while [ $i -lt 80 ]; do cp d/0.csv.gz d/$i.csv.gz; i=$((i+1)); done "
        "&& ulimit -S -n 64 && exec " MLP_PROGRAM
        " train d --effort quick --max-iter 1 --memory 1MB --cache-dir .";

    const ProgramResult result = Program({"-c", command}, "/bin/sh").finish();

    CHECK_MESSAGE(result.exit_code == 0, result.messages);
    CHECK(result.messages.find("the features are kept in a file in ") !=
          std::string::npos);
  }

  TEST_CASE("compressed tables, UTF-16, LIBSVM and pipes are read in parts") {
    const ScratchFolder folder;
    const std::string csv = folder.write("t.csv", make_table());
    std::string libsvm;
    for (int i = 0; i < 20000; ++i) {
      // Without zeros they have more than 1 MB, too.
      libsvm += std::to_string(i % 3) + " 1:" + std::to_string(i % 7) +
                " 2:1 3:-1 5:2 7:" + std::to_string(i % 5) + ".5\n";
    }
    const std::string flags = " --max-iter 2 --effort quick ";
    const auto run = [&](const std::string& command) {
      const ProgramResult result = Program({"-c", command}, "/bin/sh").finish();
      CHECK_MESSAGE(result.exit_code == 0, result.messages);
    };
    run("gzip -k " + csv);
    run("iconv -f UTF-8 -t UTF-16 " + csv + " > " + (folder / "u.csv"));
    for (const std::string& data :
         {csv + ".gz", folder / "u.csv", folder.write("t.libsvm", libsvm),
          "- < " + csv, "- < " + csv + ".gz"}) {
      CAPTURE(data);
      const std::string expected = train(folder, data, flags, false);
      const bool is_same = train(folder, data, flags, true) == expected;
      CHECK(is_same);
    }
  }

  TEST_CASE("ranks keep their rows in files") {
    const ScratchFolder folder;
    const std::string data = data_file("digits.csv");
    for (const std::string solver : {"l-bfgs", "adam"}) {
      const std::string flags =
          "--layers 64,20,10 --max-iter 3 --ranks 2 "
          "--transport threads --reproducible --solver " +
          solver;
      const std::string expected = train(folder, data, flags, false);
      const bool is_same = train(folder, data, flags, true) == expected;
      CHECK(is_same);
    }
  }

  TEST_CASE("the report for scripts tells why features are in a file") {
    const ScratchFolder folder;
    const ProgramResult result = run_program(
        {"train", data_file("digits.csv"), "--layers", "64,20,10", "--max-iter",
         "2", "--memory", "1MB", "--cache-dir", folder.path(), "--json"});

    CHECK(result.output.find("\"featureFile\": {") != std::string::npos);
    CHECK(result.output.find("\"allowedBytes\": 1000000") != std::string::npos);
    CHECK(result.messages.find(" of memory are used") != std::string::npos);
  }

  TEST_CASE("predictions are those of data in memory") {
    const ScratchFolder folder;
    const std::string data = folder.write("t.csv", make_table());
    const std::string model = folder / "m.json";
    REQUIRE(run_program({"train", data, "--effort", "quick", "--max-iter", "3",
                         "-q", "-o", model})
                .exit_code == 0);
    const std::vector<std::vector<std::string>> commands = {
        {"evaluate", model, data},
        {"predict", model, data, "--label", "class"},
        {"predict", model, data, "--label", "class", "--keep", "code,size"},
        {"featurize", model, data, "--label", "class", "--layer", "1"}};
    for (const std::vector<std::string>& words : commands) {
      std::vector<std::string> limited = words;
      for (const char* const word : {"--memory", "1MB", "--cache-dir"}) {
        limited.emplace_back(word);
      }
      limited.push_back(folder.path());

      const ProgramResult result = run_program(limited);

      CHECK(result.messages.find("the features are kept in a file in ") !=
            std::string::npos);
      CHECK(result.output == output_of(words));
    }
  }

  TEST_CASE("a folder in memory is refused, and so is one that is not there") {
    for (const auto& [folder, sentence] :
         {std::pair("/dev/shm", "--cache-dir: /dev/shm: is in memory (tmpfs)"),
          std::pair("/none",
                    "--cache-dir: /none: a file cannot be made there: ")}) {
      const ProgramResult result =
          run_program({"train", data_file("digits.csv"), "--layers", "64,20,10",
                       "--memory", "1MB", "--cache-dir", folder});

      CHECK(result.exit_code == 2);
      CHECK(result.messages.find(sentence) != std::string::npos);
    }
  }
}
