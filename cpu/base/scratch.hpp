// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "aligned_array.hpp"

namespace mlp::cpu {

/// Memory of one call that starts on a cache line: on the stack, with any
/// contents, up to kOnStack numbers, which costs nothing; on the heap beyond.
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

  /// [size]
  [[nodiscard]] T* data() { return data_; }

 private:
  alignas(64) T on_stack_[kOnStack];
  AlignedArray<T> on_heap_;
  T* data_;
};

}  // namespace mlp::cpu
