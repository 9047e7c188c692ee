// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlp::cli {

// The program is linked statically, because it starts sooner, and a static
// program cannot load libraries. Its twin mlp-dynamic is made of the same
// objects and can; the static one becomes it where a backend must be loaded.

/// Finds the twin beside this program or in ../libexec/mlp; empty where there is
/// none.
[[nodiscard]] std::string find_dynamic_twin();

/// Goes on as the twin, with the same words, streams and process.
///
/// \param words  without the program's name
/// \throws NotCompiled where this build has no twin; ResourceError where it was
///         not installed or cannot be started
[[noreturn]] void become_dynamic_twin(std::vector<std::string> words);

}  // namespace mlp::cli
