// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a function made of some bytes, so that two ways to the same result can be
// compared.

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "../../core/error.hpp"

namespace mlp::fuzz {

/// A value, or the sentence of the error that was thrown instead.
template <typename Value>
struct Outcome {
  std::optional<Value> value;
  std::string error;
};

/// Calls a function. Only the library's own errors are caught: libFuzzer reports
/// any other exception. A few KiB are no reason to run out of memory, so
/// ResourceError is not caught either.
template <typename Call>
auto outcome_of(const Call& call) -> Outcome<decltype(call())> {
  try {
    return {call(), ""};
  } catch (const ResourceError&) {
    throw;
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

/// Ends the process if a condition is false, so that libFuzzer keeps the input.
inline void require(bool condition, const char* sentence) {
  if (condition) return;
  std::fprintf(stderr, "a check failed: %s\n", sentence);
  std::abort();
}

}  // namespace mlp::fuzz
