// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_PREFETCH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_PREFETCH_INL_HPP
#undef MLP_CPU_BASE_PREFETCH_INL_HPP
#else
#define MLP_CPU_BASE_PREFETCH_INL_HPP
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Memory that is prefetched while a product is computed, because the next one
/// reads it.
///
/// The lines are spread over the product. Many at once fill the buffers of the
/// processor, and the loads of the product then wait.
class Ahead {
 public:
  Ahead() = default;

  template <typename T>
  Ahead(const T* from, std::size_t count)
      : next_(reinterpret_cast<const char*>(from)),
        end_(reinterpret_cast<const char*>(from + count)) {}

  [[nodiscard]] bool is_empty() const { return next_ == end_; }

  /// Returns this memory, and then another one.
  ///
  /// \pre neither was made by this function
  [[nodiscard]] Ahead and_then(const Ahead& other) const {
    if (is_empty()) return other;
    Ahead both = *this;
    both.later_ = other.next_;
    both.later_end_ = other.end_;
    return both;
  }

  /// Returns the part from begin to end of a work of the size whole.
  [[nodiscard]] Ahead share(std::size_t begin, std::size_t end,
                            std::size_t whole) const {
    const auto size = static_cast<std::size_t>(end_ - next_);
    const std::size_t first = size * begin / whole;
    return {next_ + first, size * end / whole - first};
  }

  /// Returns the number of lines for each of so many calls of fetch().
  [[nodiscard]] std::size_t lines_for(std::size_t num_calls) const {
    if (is_empty()) return 0;
    const auto size =
        static_cast<std::size_t>((end_ - next_) + (later_end_ - later_));
    const std::size_t lines = size / kLine + 2;
    return (lines + num_calls - 1) / num_calls;
  }

  /// Prefetches the next lines, as many as are left at most.
  HWY_INLINE void fetch(std::size_t num_lines) {
    for (std::size_t i = 0; i < num_lines; ++i) {
      if (next_ >= end_) {
        if (later_ == later_end_) return;
        next_ = std::exchange(later_, later_end_);
        end_ = later_end_;
      }
      hwy::Prefetch(next_);
      next_ += kLine;
    }
  }

  /// Prefetches all lines at once.
  HWY_INLINE void fetch_all() const {
    for (const char* at = next_; at < end_; at += kLine) hwy::Prefetch(at);
    for (const char* at = later_; at < later_end_; at += kLine) {
      hwy::Prefetch(at);
    }
  }

 private:
  static constexpr std::size_t kLine = 64;

  const char* next_ = nullptr;
  const char* end_ = nullptr;
  const char* later_ = nullptr;
  const char* later_end_ = nullptr;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
