// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The worker of the benchmarks: sets one task up and serves it over a pipe. The
// runner, goals.py, starts one for each side of a comparison.

#include <array>
#include <iostream>

#include "../worker/kernels.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace {

using mlp::bench::Arguments;

struct Entry {
  const char* name;
  const char* arguments;
  std::unique_ptr<mlp::bench::Task> (*make)(const Arguments&);
};

constexpr std::array<Entry, 12> kTasks = {{
    {"fma_peak", "f64|f32 THREADS", mlp::bench::make_fma_peak},
    {"read_rate", "l2|BYTES THREADS", mlp::bench::make_read_rate},
    {"evaluation",
     "LAYERS INSTANCES f64|f32 THREADS, or iris|mnist f64 THREADS",
     mlp::bench::make_evaluation},
    {"fit", "iris|mnist THREADS", mlp::bench::make_fit},
    {"epochs", "plain|batch_norm THREADS", mlp::bench::make_epochs},
    {"optimiser", "LAYERS INSTANCES f64|f32 THREADS",
     mlp::bench::make_optimiser},
    {"scoring",
     "LAYERS f64|f32 back_to_back|chained|singly, or batch ROWS THREADS",
     mlp::bench::make_scoring},
    {"compile_time_scoring", "LAYERS f64|f32 back_to_back|chained|singly",
     mlp::bench::make_compile_time_scoring},
    {"reading", "csv|integer_csv|libsvm INSTANCES", mlp::bench::make_reading},
    {"file_reading", "FILE THREADS", mlp::bench::make_file_reading},
    {"model_file", "LAYERS FILE decimal|base64 load|write|read",
     mlp::bench::make_model_file},
    {"start_up", "COMMAND...", mlp::bench::make_start_up},
}};

void print_usage() {
  std::cerr << "mlp_bench TASK ARGUMENTS... serves a task on standard input:\n";
  for (const Entry& entry : kTasks) {
    std::cerr << "  " << entry.name << ' ' << entry.arguments << '\n';
  }
  std::cerr
      << "  write_problem LAYERS INSTANCES FOLDER\n"
         "  describe\n"
         "With --kernels NAME before TASK, the kernels of that instruction "
         "set are measured.\n";
}

/// Prints what the figures belong to.
void describe() {
  std::cout << "{\"backend\": \"" << mlp::bench::kernels().name()
            << "\", \"compiler\": \"" << MLP_COMPILER << "\"}" << std::endl;
}

int run(const Arguments& given) {
  Arguments words = given;
  if (words.size() > 1 && words[0] == "--kernels") {
    mlp::bench::choose_kernels(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  const Arguments arguments(words.begin() + (words.empty() ? 0 : 1),
                            words.end());
  const std::string name = words.empty() ? "" : words[0];
  if (name == "describe") return describe(), 0;
  if (name == "write_problem") return mlp::bench::write_problem(arguments), 0;
  for (const Entry& entry : kTasks) {
    if (name != entry.name) continue;
    mlp::bench::serve(*entry.make(arguments));
    return 0;
  }
  print_usage();
  return 2;
}

}  // namespace

int main(int num_words, char** words) {
  return mlp::bench::run_program("mlp_bench", num_words, words, &run);
}
