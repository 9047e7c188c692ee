// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace mlp::cpu {

/// Doubles that start on a cache line, zero at first: vectors of every
/// instruction set load from them aligned.
class AlignedArray {
 public:
  AlignedArray() = default;

  explicit AlignedArray(std::size_t size)
      : data_(static_cast<double*>(::operator new (
            size * sizeof(double), std::align_val_t{kAlignment}))) {
    std::uninitialized_value_construct_n(data_.get(), size);
  }

  [[nodiscard]] double* data() const { return data_.get(); }

 private:
  static constexpr std::size_t kAlignment = 64;

  struct Free {
    void operator()(double* data) const {
      ::operator delete (data, std::align_val_t{kAlignment});
    }
  };

  std::unique_ptr<double, Free> data_;
};

}  // namespace mlp::cpu
