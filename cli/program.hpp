// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flags/backend_choice.hpp"

namespace mlp::cli {

/// Runs the program: understands the command line, does what it asks, and says
/// what went wrong on standard error.
///
/// \param words    as main() gets them; none is fine
/// \param loaders  what this program can load; none where it is static
/// \return the exit code, see exit_code.hpp
int run_program(int num_words, char** words, const Loaders& loaders = {});

}  // namespace mlp::cli
