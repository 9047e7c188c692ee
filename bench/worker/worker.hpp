// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "clocks.hpp"

namespace mlp::bench {

/// What one run of a task measured.
struct Sample {
  Duration duration;

  /// Names and figures: what both sides of a comparison must agree on, and
  /// rates that a task measures itself. Names are plain words.
  std::vector<std::pair<std::string, double>> values;

  /// The objective after each iteration of a fit; else empty.
  std::vector<double> history;
};

/// Something that can be timed again and again. Its constructor does all that
/// is not to be timed.
class Task {
 public:
  virtual ~Task() = default;

  /// Does the work `repeats` times in a row and says how long that took.
  ///
  /// \pre repeats >= 1
  virtual Sample run(long repeats) = 0;
};

/// Serves a task over a pipe: a line "run REPEATS" is answered by one line of
/// JSON; the end of the input ends it. The first line, {"ready": true}, says that
/// everything is set up.
///
/// One process per side of a comparison lets the runner interleave them.
void serve(Task& task);

/// The words of a command line behind the task's name.
using Arguments = std::vector<std::string>;

/// Reads argument `at`.
///
/// \throws ParamError naming the missing argument
[[nodiscard]] std::string word_argument(const Arguments& arguments,
                                        std::size_t at, const char* name);

/// \throws ParamError naming the argument, unless it is an integer >= 1
[[nodiscard]] long count_argument(const Arguments& arguments, std::size_t at,
                                  const char* name);

/// Runs a program on the words of its command line, and prints the error that
/// ends it.
///
/// \return the exit status
int run_program(const char* name, int num_words, char** words,
                int (*run)(const Arguments& arguments));

}  // namespace mlp::bench
