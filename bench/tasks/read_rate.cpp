// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// How fast the processor reads a piece of memory again and again: half of the L2
// cache for the goals of scoring, larger ones for the roofline.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

constexpr std::size_t kBytesPerRound = 512;
constexpr std::size_t kAlignment = 4096;

/// Reads `rounds` times kBytesPerRound from `data` on, which is aligned.
using Kernel = void (*)(const char* data, std::size_t rounds);

#if defined(__x86_64__)

__attribute__((target("avx2"))) void read_256(const char* data,
                                              std::size_t rounds) {
  asm volatile(
      ".p2align 6\n"
      "1:\n\t"
      "vmovaps (%[data]), %%ymm0\n\t"
      "vmovaps 32(%[data]), %%ymm1\n\t"
      "vmovaps 64(%[data]), %%ymm2\n\t"
      "vmovaps 96(%[data]), %%ymm3\n\t"
      "vmovaps 128(%[data]), %%ymm4\n\t"
      "vmovaps 160(%[data]), %%ymm5\n\t"
      "vmovaps 192(%[data]), %%ymm6\n\t"
      "vmovaps 224(%[data]), %%ymm7\n\t"
      "vmovaps 256(%[data]), %%ymm0\n\t"
      "vmovaps 288(%[data]), %%ymm1\n\t"
      "vmovaps 320(%[data]), %%ymm2\n\t"
      "vmovaps 352(%[data]), %%ymm3\n\t"
      "vmovaps 384(%[data]), %%ymm4\n\t"
      "vmovaps 416(%[data]), %%ymm5\n\t"
      "vmovaps 448(%[data]), %%ymm6\n\t"
      "vmovaps 480(%[data]), %%ymm7\n\t"
      "add $512, %[data]\n\t"
      "dec %[rounds]\n\t"
      "jnz 1b\n\t"
      "vzeroupper\n\t"
      : [data] "+r"(data), [rounds] "+r"(rounds)
      :
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
        "xmm7");
}

__attribute__((target("avx512f"))) void read_512(const char* data,
                                                 std::size_t rounds) {
  asm volatile(
      ".p2align 6\n"
      "1:\n\t"
      "vmovaps (%[data]), %%zmm0\n\t"
      "vmovaps 64(%[data]), %%zmm1\n\t"
      "vmovaps 128(%[data]), %%zmm2\n\t"
      "vmovaps 192(%[data]), %%zmm3\n\t"
      "vmovaps 256(%[data]), %%zmm4\n\t"
      "vmovaps 320(%[data]), %%zmm5\n\t"
      "vmovaps 384(%[data]), %%zmm6\n\t"
      "vmovaps 448(%[data]), %%zmm7\n\t"
      "add $512, %[data]\n\t"
      "dec %[rounds]\n\t"
      "jnz 1b\n\t"
      "vzeroupper\n\t"
      : [data] "+r"(data), [rounds] "+r"(rounds)
      :
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
        "xmm7");
}

std::vector<Kernel> usable_kernels() {
  std::vector<Kernel> kernels;
  if (__builtin_cpu_supports("avx2")) kernels.push_back(read_256);
  if (__builtin_cpu_supports("avx512f")) kernels.push_back(read_512);
  return kernels;
}

#else

std::vector<Kernel> usable_kernels() { return {}; }

#endif

/// A copy of the memory for each thread, as scoring has its own weights.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : data_(static_cast<char*>(
            ::operator new (bytes, std::align_val_t{kAlignment}))) {
    std::memset(data_, 1, bytes);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::operator delete (data_, std::align_val_t{kAlignment}); }

  [[nodiscard]] const char* data() const { return data_; }

 private:
  char* data_;
};

class ReadRate final : public Task {
 public:
  ReadRate(std::size_t bytes, int num_threads)
      : rounds_(std::max<std::size_t>(1, bytes / kBytesPerRound)),
        pool_(num_threads),
        durations_(static_cast<std::size_t>(num_threads)) {
    for (int i = 0; i < num_threads; ++i) {
      pages_.push_back(std::make_unique<Pages>(rounds_ * kBytesPerRound));
    }
    const std::vector<Kernel> kernels = usable_kernels();
    if (kernels.empty()) {
      throw ParamError("the read rate needs a processor with AVX2");
    }
    double best = 0.0;
    for (const Kernel kernel : kernels) {
      kernel_ = kernel;
      const double rate = median_rate();
      if (rate > best) fastest_ = kernel;
      best = std::max(best, rate);
    }
    kernel_ = fastest_;
  }

  Sample run(long repeats) override {
    const Stopwatch watch;
    pool_.parallel_for(pool_.num_threads(), [&](Index task, int) {
      const auto at = static_cast<std::size_t>(task);
      const Stopwatch own(CLOCK_THREAD_CPUTIME_ID);
      for (long i = 0; i < repeats; ++i) kernel_(pages_[at]->data(), rounds_);
      durations_[at] = own.elapsed();
    });
    Sample sample{watch.elapsed(), {}, {}};
    const double bytes = static_cast<double>(repeats) *
                         static_cast<double>(rounds_ * kBytesPerRound);
    double wall_rate = 0.0;
    double cpu_seconds = 0.0;
    for (const Duration& duration : durations_) {
      wall_rate += bytes / duration.wall_seconds;
      cpu_seconds += duration.cpu_seconds;
    }
    const auto num_threads = static_cast<double>(durations_.size());
    sample.values = {{"wall_bytes", wall_rate},
                     {"cpu_bytes", bytes * num_threads / cpu_seconds}};
    return sample;
  }

 private:
  double median_rate() {
    const long repeats = std::max<long>(
        1, static_cast<long>(kCalibrationBytes / (rounds_ * kBytesPerRound)));
    std::array<double, 5> rates{};
    for (double& rate : rates) rate = run(repeats).values.back().second;
    std::nth_element(rates.begin(), rates.begin() + 2, rates.end());
    return rates[2];
  }

  static constexpr std::size_t kCalibrationBytes = std::size_t{64} << 20;

  std::size_t rounds_;
  ThreadPool pool_;
  std::vector<Duration> durations_;  // [num_threads]
  std::vector<std::unique_ptr<Pages>> pages_;
  Kernel kernel_ = nullptr;
  Kernel fastest_ = nullptr;
};

/// Half of the L2 cache of a core: all of it would share with the page tables.
std::size_t half_of_l2_bytes() {
  constexpr long kUnknownL2Bytes = 512 * 1024;
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<std::size_t>((bytes > 0 ? bytes : kUnknownL2Bytes) / 2);
}

}  // namespace

std::unique_ptr<Task> make_read_rate(const Arguments& arguments) {
  const bool is_l2 = word_argument(arguments, 0, "BYTES") == "l2";
  const std::size_t bytes =
      is_l2 ? half_of_l2_bytes()
            : static_cast<std::size_t>(count_argument(arguments, 0, "BYTES"));
  return std::make_unique<ReadRate>(
      bytes, static_cast<int>(count_argument(arguments, 1, "THREADS")));
}

}  // namespace mlp::bench
