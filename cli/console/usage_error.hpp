// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/error.hpp"

namespace mlp::cli {

/// The command line cannot be understood. The text names the flag or the word.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The training ended at an objective or at weights that are no numbers.
class DivergedError : public Error {
 public:
  using Error::Error;
};

}  // namespace mlp::cli
