// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "aligned_array.hpp"

namespace mlp::cpu {

/// Temporary memory of one call, aligned to cache lines.
///
/// Up to kOnStack numbers are on the stack and uninitialised, which costs
/// nothing. Larger memory is on the heap and zero.
template <typename T, std::size_t kOnStack>
class Scratch {
 public:
  explicit Scratch(std::size_t size) : data_(on_stack_) {
    if (size <= kOnStack) return;
    on_heap_ = AlignedArray<T>(size);
    data_ = on_heap_.data();
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Returns the memory   [size].
  [[nodiscard]] T* data() { return data_; }

 private:
  alignas(64) T on_stack_[kOnStack];
  AlignedArray<T> on_heap_;
  T* data_;
};

}  // namespace mlp::cpu
