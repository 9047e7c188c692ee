// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_memory.hpp"

namespace mlp::cuda {

/// Numbers of the host that the device copies while the host goes on.
///
/// \tparam T  trivially copyable
template <typename T>
class PinnedArray : public MemoryArray<T, allocate_pinned, release_pinned> {
 public:
  using MemoryArray<T, allocate_pinned, release_pinned>::MemoryArray;

  [[nodiscard]] T& operator[](Index i) { return this->data()[i]; }
  [[nodiscard]] const T& operator[](Index i) const { return this->data()[i]; }
};

}  // namespace mlp::cuda
