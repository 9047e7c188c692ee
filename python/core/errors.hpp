// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp::python {

/// Makes each error type of the library the Python exception of the same name,
/// which mlp/errors.py defines.
void register_errors();

}  // namespace mlp::python
