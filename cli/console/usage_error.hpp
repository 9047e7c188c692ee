// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/error.hpp"

namespace mlp::cli {

/// The error of an invalid command line. Its text names the flag or the word.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace mlp::cli
