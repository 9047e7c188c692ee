// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mlp::python {

/// Refuses a file that cannot be written, as the program does before it starts.
///
/// \throws ResourceError
void check_writable_file(const std::string& path);

}  // namespace mlp::python
