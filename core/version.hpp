// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp {

/// The version of the library and of the program, as major.minor.patch.
///
/// CMakeLists.txt reads the version from the line below.
inline constexpr const char* kVersion = "1.0.0";

}  // namespace mlp
