// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp::cli {

/// Runs the program: understands the command line, does what it asks, and says
/// what went wrong on standard error.
///
/// \param words  as main() gets them; none is fine
/// \return the exit code, see exit_code.hpp
int run_program(int num_words, char** words);

}  // namespace mlp::cli
