// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The message of an exception, for tests that compare a part of it, or several.

#include <string>

namespace mlp::test {

/// Returns the message of the exception of this type that a call throws; "" if
/// it throws none. Other exceptions pass.
template <typename Exception, typename Call>
[[nodiscard]] std::string thrown_message(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace mlp::test
