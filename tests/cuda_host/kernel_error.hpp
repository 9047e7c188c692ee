// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace mlp::cuda_host {

/// A kernel did what the CUDA model does not allow.
class KernelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mlp::cuda_host
