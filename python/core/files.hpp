// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace mlp::python {

/// Refuses a file that cannot be written, as the program does before it starts.
///
/// \throws ResourceError
void check_writable_file(const std::string& path);

/// Binds the functions that check and replace files, and the class NewFolder.
void bind_files(nanobind::module_& module);

}  // namespace mlp::python
