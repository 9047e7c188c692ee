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
    const auto lines = static_cast<std::size_t>(end_ - next_) / kLine + 1;
    return (lines + num_calls - 1) / num_calls;
  }

  /// Prefetches the next lines, as many as are left at most.
  HWY_INLINE void fetch(std::size_t num_lines) {
    for (std::size_t i = 0; i < num_lines && next_ < end_; ++i) {
      hwy::Prefetch(next_);
      next_ += kLine;
    }
  }

  /// Prefetches all lines at once.
  HWY_INLINE void fetch_all() const {
    for (const char* at = next_; at < end_; at += kLine) hwy::Prefetch(at);
  }

 private:
  static constexpr std::size_t kLine = 64;

  const char* next_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
