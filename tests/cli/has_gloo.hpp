// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace mlp::test {

/// Returns true if this build has Gloo; reports that a test is skipped otherwise.
inline bool has_gloo() {
#ifdef MLP_HAS_GLOO
  return true;
#else
  MESSAGE("test skipped: this build has no Gloo");
  return false;
#endif
}

}  // namespace mlp::test
