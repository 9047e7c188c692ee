// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "../../core/memory/huge_pages.hpp"

namespace mlp::cpu {

/// What a new array contains.
enum class Fill {
  kZeros,
  kNothing,  ///< unspecified numbers; a page takes memory when it is written
};

/// An array aligned to cache lines.
///
/// Vectors of every instruction set can use aligned loads. Large arrays request
/// huge pages, so that a kernel that reads several rows at once needs few
/// translations of addresses.
template <typename T>
class AlignedArray {
 public:
  AlignedArray() = default;

  explicit AlignedArray(std::size_t size, Fill fill = Fill::kZeros)
      : data_(allocate(size), Free{alignment_for(size)}) {
    if (fill == Fill::kNothing) {
      std::uninitialized_default_construct_n(data_.get(), size);
    } else {
      std::uninitialized_value_construct_n(data_.get(), size);
    }
  }

  [[nodiscard]] T* data() const { return data_.get(); }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;

  struct Free {
    void operator()(T* data) const {
      ::operator delete (data, std::align_val_t{alignment});
    }
    std::size_t alignment = kCacheLine;
  };

  static std::size_t alignment_for(std::size_t size) {
    return size * sizeof(T) >= kHugePage ? kHugePage : kCacheLine;
  }

  static T* allocate(std::size_t size) {
    const std::size_t alignment = alignment_for(size);
    void* data = ::operator new (size * sizeof(T), std::align_val_t{alignment});
    advise_huge_pages(data, size * sizeof(T));
    return static_cast<T*>(data);
  }

  std::unique_ptr<T, Free> data_;
};

}  // namespace mlp::cpu
