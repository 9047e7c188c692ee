// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cli/program.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "../../cli/flags/help/help.hpp"
#include "../../core/version.hpp"
#include "run_program.hpp"

namespace mlp::test {

namespace {

/// A command line that must be refused. DATA stands for the iris file.
struct Refusal {
  const char* words;
  int exit_code;
  const char* sentence;
};

constexpr Refusal kRefusals[] = {
    {"train DATA --max-iter x", 2,
     "--max-iter: maxIter must be an integer >= 0; got 'x'"},
    {"train DATA --max-iter -1", 2,
     "--max-iter: maxIter must be an integer >= 0; got -1"},
    {"train DATA --max-iter 1.5", 2,
     "--max-iter: maxIter must be an integer >= 0; got '1.5'"},
    {"train DATA --max-iter 9223372036854775808", 2,
     "--max-iter: maxIter must be an integer >= 0 and <= 9223372036854775807; "
     "got '9223372036854775808'"},
    {"train DATA --tol nan", 2,
     "--tol: tol must be a number >= 0, and <= 1 with solver gd; got 'nan'"},
    {"train DATA --solver gd --tol 2", 2,
     "--tol: tol must be a number >= 0, and <= 1 with solver gd; got 2"},
    {"train DATA --block-size 0", 2,
     "--block-size: blockSize must be an integer > 0; got 0"},
    {"train DATA --step-size 0", 2,
     "--step-size: stepSize must be a number > 0; got 0"},
    {"train DATA --solver rmsprop", 2,
     "--solver: must be l-bfgs, gd, sgd, adam or adamw; got 'rmsprop'; adam is "
     "a similar solver"},
    {"train DATA --seed 1e3", 2,
     "--seed: seed must be an integer of 64 bits; got '1e3'"},
    {"train DATA --layers 4", 2,
     "--layers: layers must be at least 2 sizes, each > 0; got [4]"},
    {"train DATA --layers 4,-1,3", 2,
     "--layers: layers must be at least 2 sizes, each > 0; got [4, -1, 3]"},
    {"train DATA --layers 4,,3", 2,
     "--layers: layers must be at least 2 sizes, each > 0; got '4,,3'"},
    {"train DATA --layers=[]", 2,
     "--layers: must be at least 2 sizes, each > 0; got '[]'"},
    {"train DATA --layers 4,2147483648,3", 2,
     "--layers: layers must be sizes of at most 1048576; got 2147483648"},
    {"train DATA --thresholds 0,0", 2,
     "--thresholds: thresholds must be numbers >= 0, at most one of them 0; "
     "got "
     "[0, 0]"},
    {"train DATA --layers 4,3 --thresholds 1,1", 2,
     "--thresholds: thresholds must be 3 numbers, one per class; got 2"},
    {"train DATA --label=", 2,
     "--label: the value is missing; expected column, got ''"},
    {"train DATA --label 0 --labels x", 2,
     "--label: cannot be combined with --labels; use only one of them"},
    {"train DATA --partitions 0", 2,
     "--partitions: must be an integer from 1 to 1048576; got '0'"},
    {"train DATA --partition-sizes 50,-1", 2,
     "--partition-sizes: must be integers >= 0, separated by commas; got "
     "'50,-1'"},
    {"train DATA --partition-sizes 50,50", 2,
     "--partition-sizes: partition sizes must sum to the 150 instances, got "
     "100"},
    {"train DATA --partitions 2 --partition-sizes 75,75", 2,
     "--partitions: cannot be combined with --partition-sizes; use only one of "
     "them"},
    {"train DATA --split 0.6", 2,
     "--split: must be two numbers > 0, the shares of training and testing; "
     "got "
     "'0.6'"},
    {"train DATA --split 1,1,1", 2,
     "--split: must be two numbers > 0, the shares of training and testing; "
     "got "
     "'1,1,1'"},
    {"train DATA --scale 0", 2, "--scale: must be a number > 0; got '0'"},
    {"train DATA --seed-hash 4", 2,
     "--seed-hash: must be 3 or 2, a version of Spark; got '4'"},
    {"train DATA --json -o -", 2,
     "--out: must be a file if --json writes to standard output; got '-'"},
    {"train DATA --threads 0", 2,
     "--threads: must be an integer from 1 to 1024; got '0'"},
    {"train DATA --progress often", 2,
     "--progress: must be auto, always or never; got 'often'"},
    {"train DATA --device gpu", 2,
     "--device: must be auto, cpu, cuda or cuda:N with N >= 0; got 'gpu'"},
    {"train DATA --backend blas", 2,
     "--backend: must be auto, cpu, openblas or reference; got 'blas'"},
    {"train DATA --precision half", 2,
     "--precision: must be float64, float32, tf32 or bf16; got 'half'"},
    {"train DATA --backend reference --precision float32", 2,
     "--precision: precision must be float64 for the reference backend; got "
     "float32; use the CPU kernels for float32"},
    {"train DATA --quiet --verbose", 2,
     "--verbose: cannot be combined with --quiet; use only one of them"},
    {"train DATA --layers 5,3", 3,
     "DATA: expected 5 features for layers [5, 3], got 4; start --layers with "
     "4"},
    {"train DATA --layers 4,2", 3,
     "DATA: expected at most 2 classes for layers [4, 2], got 3: 'setosa', "
     "'versicolor', 'virginica'; end --layers with 3"},
    {"train /no/such/file", 3,
     "/no/such/file: cannot be opened: No such file or directory"},
    {"train DATA --initial-weights /no/such/file", 4,
     "/no/such/file: cannot be opened: No such file or directory"},
    {"train DATA -o /no/such/folder/m.json", 6,
     "/no/such/folder/m.json: cannot be written: No such file or directory"},
    {"predict m DATA -o /no/such/folder/p.csv", 6,
     "/no/such/folder/p.csv: cannot be written: No such file or directory"},
    {"train DATA -o /", 6,
     "/: cannot be written: it is a directory; name a file"},
    {"predict /no/model DATA", 4,
     "/no/model: cannot be opened: No such file or directory"},
    {"predict m DATA --output label", 2,
     "--output: must be prediction, probability, rawPrediction, lower, upper "
     "or set, each at most once and separated by commas; got 'label'"},
    {"predict m DATA --json", 2,
     "--json: is not a flag of predict; predictions are CSV or, with --format "
     "jsonl, JSON Lines"},
    {"inspect DATA --verify", 2,
     "--verify: needs a model; 'DATA' is a data file"},
    {"completion tcsh", 2,
     "completion: the shell must be bash, zsh or fish; got 'tcsh'"},
    {"help me", 2,
     "unknown command 'me'; expected one of train, predict, evaluate, "
     "featurize, inspect, doctor, completion, help"},
    {"--json", 2, "a command is missing; mlp --help lists them"},
};

/// Puts the iris file into a text.
std::string with_data(std::string text) {
  const std::size_t at = text.find("DATA");
  return at == text.npos ? text : text.replace(at, 4, data_file("iris.csv"));
}

/// Runs the program in a shell and returns its exit code.
int run_in_shell(const std::string& tail) {
  const int status = std::system((std::string(MLP_PROGRAM) + tail).c_str());
  return WEXITSTATUS(status);
}

/// The names of the shared libraries of a training.
std::set<std::string> loaded_libraries() {
  mlp::test::Program training(
      {"train", data_file("digits.csv"), "--layers", "64,100,10", "--solver",
       "gd", "--tol", "0", "--max-iter", "2000000000", "--progress", "always"});
  training.wait_for_message("iteration 1");
  std::ifstream maps("/proc/" + std::to_string(training.id()) + "/maps");
  std::set<std::string> names;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(".so") == std::string::npos) continue;
    names.insert(line.substr(line.rfind('/') + 1));
  }
  return names;
}

}  // namespace

TEST_SUITE("cli/program") {
  TEST_CASE("refuses bad flags and files with the flag or the file named") {
    for (const Refusal& refusal : kRefusals) {
      CAPTURE(refusal.words);
      std::vector<std::string> words = split_words(with_data(refusal.words));
      if (words[0] != "--json" && refusal.exit_code != 2) words.push_back("-q");

      const auto result = run_program(words);

      CHECK(result.exit_code == refusal.exit_code);
      CHECK(result.output == "");
      const std::string last_line =
          "mlp: error: " + with_data(refusal.sentence) + '\n';
      REQUIRE(result.messages.size() >= last_line.size());
      CHECK(result.messages.substr(result.messages.size() - last_line.size()) ==
            last_line);
    }
  }

  TEST_CASE("says how it is used where nothing is asked") {
    const auto result = run_program({});

    CHECK(result.exit_code == 2);
    CHECK(result.output == "");
    CHECK(result.messages == cli::short_usage());
  }

  TEST_CASE("survives an empty list of words") {
    char* none = nullptr;

    CHECK(cli::run_program(0, &none) == 2);
  }

  TEST_CASE("prints help and version on standard output") {
    const auto help = run_program({"--help"});
    const auto version = run_program({"--version"});

    CHECK(help.exit_code == 0);
    CHECK(help.messages == "");
    CHECK(help.output == cli::overview_help());
    CHECK(version.output == "mlp " + std::string(kVersion) + '\n');
  }

  TEST_CASE("exits 6 where the output cannot be written") {
    CHECK(run_in_shell(" --help > /dev/full 2> /dev/null") == 6);
    CHECK(run_in_shell(" --help >&- 2> /dev/null") == 6);
    CHECK(run_in_shell(" train " + data_file("iris.csv") +
                       " -q -o /dev/full 2> /dev/null") == 6);
  }

  TEST_CASE("ends quietly where the reader is gone") {
    const ScratchFolder folder;
    const std::string model = folder / "m.json";
    const std::string history = folder / "h.csv";
    const std::string errors = folder / "errors";
    const std::string data = data_file("iris.csv");
    const std::string train = "train " + data + " --layers 4,3 --max-iter 20";

    for (const std::string& words :
         {train + " --progress never -o " + model + " --history " + history,
          train + " -q -o -", train + " -q --history - -o " + model,
          train + " -q --json -o " + model, std::string("--help"),
          "predict " + model + " " + data, "evaluate " + model + " " + data,
          "inspect " + model, std::string("doctor"),
          std::string("completion bash")}) {
      const std::string script =
          folder.write("pipe.bash", "set -o pipefail\n{ sleep 0.1; " +
                                        std::string(MLP_PROGRAM) + " " + words +
                                        " 2> " + errors + "; } | true\n");
      CAPTURE(words);

      CHECK(WEXITSTATUS(std::system(("bash " + script).c_str())) == 0);
      CHECK(read_bytes(errors).find("error") == std::string::npos);
    }
    CHECK(read_bytes(history).find("iteration") == 0);
  }

  TEST_CASE("works with every stream closed") {
    CHECK(run_in_shell(" train " + data_file("iris.csv") +
                       " --max-iter 1 -q <&- >&- 2>&-") == 0);
  }

  TEST_CASE("reads data from standard input") {
    CHECK(run_in_shell(" train - --max-iter 1 -q < " + data_file("iris.csv")) ==
          0);
  }

  TEST_CASE("loads no library but those of C") {
    if (!MLP_HAS_STATIC_RUNTIME) {
      MESSAGE("test skipped: this build has no static runtime");
      return;
    }
    const std::set<std::string> libraries = loaded_libraries();

    CHECK(libraries.count("libc.so.6") == 1);
    for (const std::string& library : libraries) {
      CAPTURE(library);
      CHECK((library == "libc.so.6" || library == "libm.so.6" ||
             library.starts_with("ld-linux")));
    }
  }
}

}  // namespace mlp::test
