// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands of the program, one function each.

#include "flags/command_line.hpp"
#include "flags/global_options.hpp"

namespace mlp::cli {

// Each command reads its flags, does its work, writes data to standard output
// and returns the exit code. Failures are exceptions, see exit_code.hpp.

int run_train(const CommandLine& line, const GlobalOptions& options);
int run_predict(const CommandLine& line, const GlobalOptions& options);
int run_evaluate(const CommandLine& line, const GlobalOptions& options);
int run_featurize(const CommandLine& line, const GlobalOptions& options);
int run_inspect(const CommandLine& line, const GlobalOptions& options);
int run_doctor(const GlobalOptions& options);

}  // namespace mlp::cli
