// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mlp::cli {

/// Writes the script that makes a shell complete commands, flags and values.
///
/// \param shell  bash, zsh or fish
/// \throws UsageError for another shell
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace mlp::cli
