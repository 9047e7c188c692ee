// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"

namespace mlp::bench {
namespace {

/// JSON has no infinity and no NaN.
std::string json_number(double value) {
  return std::isfinite(value) ? format_double(value) : "null";
}

void print_sample(const Sample& sample) {
  std::ostringstream line;
  line << "{\"wall\": " << json_number(sample.duration.wall_seconds)
       << ", \"cpu\": " << json_number(sample.duration.cpu_seconds);
  for (const auto& [name, value] : sample.values) {
    line << ", \"" << name << "\": " << json_number(value);
  }
  if (!sample.history.empty()) {
    line << ", \"history\": [";
    for (std::size_t i = 0; i < sample.history.size(); ++i) {
      line << (i == 0 ? "" : ", ") << json_number(sample.history[i]);
    }
    line << "]";
  }
  std::cout << line.str() << "}" << std::endl;
}

}  // namespace

void serve(Task& task) {
  std::cout << "{\"ready\": true}" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string verb;
    long repeats = 0;
    words >> verb >> repeats;
    if (verb != "run" || repeats < 1) {
      throw ParamError("a request must be \"run REPEATS\"; got \"" + line +
                       "\"");
    }
    print_sample(task.run(repeats));
  }
}

std::string word_argument(const Arguments& arguments, std::size_t at,
                          const char* name) {
  if (at < arguments.size()) return arguments[at];
  throw ParamError("the argument " + std::string(name) +
                   " is missing; add it as number " + std::to_string(at + 1));
}

long count_argument(const Arguments& arguments, std::size_t at,
                    const char* name) {
  const std::string word = word_argument(arguments, at, name);
  char* end = nullptr;
  const long count = std::strtol(word.c_str(), &end, 10);
  if (count >= 1 && *end == '\0') return count;
  throw ParamError("the argument " + std::string(name) +
                   " must be an integer >= 1; got " + word);
}

int run_program(const char* name, int num_words, char** words,
                int (*run)(const Arguments& arguments)) {
  try {
    return run(Arguments(words + 1, words + num_words));
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace mlp::bench
