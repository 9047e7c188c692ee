// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The canary: how many fused multiply-adds the processor does right now.
//
// Written in assembler with fixed registers, because a compiler is free to keep
// accumulators in memory, and then the figure is that of its load units. Each
// accumulator is a chain of its own; 12 hide a latency of 4 to 5 cycles on two
// units, 24 leave room where the vectors are 512 bits wide.

#include <algorithm>
#include <array>
#include <cstddef>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

/// Numbers with full mantissas, because zeros would cost less power and could
/// raise the clock: two factors and where the accumulators start.
template <typename T>
struct alignas(64) Operands {
  static constexpr std::size_t kLanes = 64 / sizeof(T);

  Operands() {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const T third = static_cast<T>(static_cast<double>(i + 1) / 3.0);
      a[i] = T{1} + third / T{7};
      b[i] = T{1} / (T{1} + third);
      start[i] = third;
    }
  }

  std::array<T, kLanes> a;
  std::array<T, kLanes> b;
  std::array<T, kLanes> start;
};

/// Runs `rounds` rounds of fused multiply-adds in registers. Each accumulator
/// gains a b and loses it again, so that none ever overflows.
using Kernel = void (*)(const void* operands, long rounds);

/// A kernel and what one of its rounds does.
struct FmaKernel {
  Kernel run = nullptr;
  double flops_per_round = 0.0;
};

#if defined(__x86_64__)

// clang-format off
#define MLP_4(instruction, factors, reg, a, b, c, d)         \
  instruction " " factors ", %%" reg a "\n\t" \
  instruction " " factors ", %%" reg b "\n\t" \
  instruction " " factors ", %%" reg c "\n\t" \
  instruction " " factors ", %%" reg d "\n\t"
#define MLP_12(instruction, factors, reg)                \
  MLP_4(instruction, factors, reg, "0", "1", "2", "3")   \
  MLP_4(instruction, factors, reg, "4", "5", "6", "7")   \
  MLP_4(instruction, factors, reg, "8", "9", "10", "11")
#define MLP_24(instruction, factors, reg)                   \
  MLP_12(instruction, factors, reg)                         \
  MLP_4(instruction, factors, reg, "12", "13", "14", "15")  \
  MLP_4(instruction, factors, reg, "16", "17", "18", "19")  \
  MLP_4(instruction, factors, reg, "20", "21", "22", "23")

#define MLP_FMA_256(type)                                           \
  asm volatile(                                                     \
      "vmovaps (%[operands]), %%ymm14\n\t"                          \
      "vmovaps 64(%[operands]), %%ymm15\n\t"                        \
      MLP_12("vmovaps", "128(%[operands])", "ymm")                  \
      ".p2align 6\n"                                                \
      "1:\n\t"                                                      \
      MLP_12("vfmadd231" type, "%%ymm15, %%ymm14", "ymm")           \
      MLP_12("vfnmadd231" type, "%%ymm15, %%ymm14", "ymm")          \
      "dec %[rounds]\n\t"                                           \
      "jnz 1b\n\t"                                                  \
      "vzeroupper\n\t"                                              \
      : [rounds] "+r"(rounds)                                       \
      : [operands] "r"(operands)                                    \
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", \
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm14", "xmm15")

#define MLP_FMA_512(type)                                           \
  asm volatile(                                                     \
      "vmovaps (%[operands]), %%zmm30\n\t"                          \
      "vmovaps 64(%[operands]), %%zmm31\n\t"                        \
      MLP_24("vmovaps", "128(%[operands])", "zmm")                  \
      ".p2align 6\n"                                                \
      "1:\n\t"                                                      \
      MLP_24("vfmadd231" type, "%%zmm31, %%zmm30", "zmm")           \
      MLP_24("vfnmadd231" type, "%%zmm31, %%zmm30", "zmm")          \
      "dec %[rounds]\n\t"                                           \
      "jnz 1b\n\t"                                                  \
      "vzeroupper\n\t"                                              \
      : [rounds] "+r"(rounds)                                       \
      : [operands] "r"(operands)                                    \
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", \
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",  \
        "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18",       \
        "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm30", "xmm31")
// clang-format on

__attribute__((target("avx2,fma"))) void fma_256_double(const void* operands,
                                                        long rounds) {
  MLP_FMA_256("pd");
}
__attribute__((target("avx2,fma"))) void fma_256_float(const void* operands,
                                                       long rounds) {
  MLP_FMA_256("ps");
}
__attribute__((target("avx512f"))) void fma_512_double(const void* operands,
                                                       long rounds) {
  MLP_FMA_512("pd");
}
__attribute__((target("avx512f"))) void fma_512_float(const void* operands,
                                                      long rounds) {
  MLP_FMA_512("ps");
}

/// What this processor can run; empty without fused multiply-add.
std::vector<FmaKernel> usable_kernels(bool is_double) {
  constexpr double kInstructions256 = 24.0;
  constexpr double kInstructions512 = 48.0;
  const double lanes_256 = is_double ? 4.0 : 8.0;
  std::vector<FmaKernel> kernels;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back({is_double ? fma_256_double : fma_256_float,
                       2.0 * lanes_256 * kInstructions256});
  }
  if (__builtin_cpu_supports("avx512f")) {
    kernels.push_back({is_double ? fma_512_double : fma_512_float,
                       2.0 * 2.0 * lanes_256 * kInstructions512});
  }
  return kernels;
}

#else

std::vector<FmaKernel> usable_kernels(bool) { return {}; }

#endif

/// The median rate of a few short runs on the calling thread, in flops per
/// second.
double median_rate(const FmaKernel& kernel, const void* operands) {
  constexpr long kRounds = 50'000;
  std::array<double, 9> rates{};
  for (double& rate : rates) {
    const Stopwatch watch(CLOCK_THREAD_CPUTIME_ID);
    kernel.run(operands, kRounds);
    rate = kernel.flops_per_round * static_cast<double>(kRounds) /
           watch.elapsed().cpu_seconds;
  }
  std::nth_element(rates.begin(), rates.begin() + 4, rates.end());
  return rates[4];
}

/// Times the kernel on every thread at once.
class FmaPeak final : public Task {
 public:
  FmaPeak(bool is_double, int num_threads)
      : operands_(is_double ? static_cast<const void*>(&doubles_) : &floats_),
        pool_(num_threads),
        durations_(static_cast<std::size_t>(num_threads)) {
    double best = 0.0;
    for (const FmaKernel& kernel : usable_kernels(is_double)) {
      const double rate = median_rate(kernel, operands_);
      if (rate > best) kernel_ = kernel;
      best = std::max(best, rate);
    }
    if (!kernel_.run) {
      throw ParamError("the canary needs a processor with AVX2 and FMA");
    }
    rounds_ = static_cast<long>(kSeconds * best / kernel_.flops_per_round);
  }

  Sample run(long repeats) override {
    const long rounds = repeats * rounds_;
    const Stopwatch watch;
    pool_.parallel_for(pool_.num_threads(), [&](Index task, int) {
      const Stopwatch own(CLOCK_THREAD_CPUTIME_ID);
      kernel_.run(operands_, rounds);
      durations_[static_cast<std::size_t>(task)] = own.elapsed();
    });
    Sample sample{watch.elapsed(), {}, {}};
    const double flops = kernel_.flops_per_round * static_cast<double>(rounds);
    double cpu_seconds = 0.0;
    double wall_rate = 0.0;
    for (const Duration& duration : durations_) {
      cpu_seconds += duration.cpu_seconds;
      wall_rate += flops / duration.wall_seconds;
    }
    const auto num_threads = static_cast<double>(durations_.size());
    // Of all threads together by the clock on the wall; of one by its own.
    sample.values = {{"wall_flops", wall_rate},
                     {"cpu_flops", flops * num_threads / cpu_seconds}};
    return sample;
  }

 private:
  static constexpr double kSeconds = 0.005;

  const Operands<double> doubles_;
  const Operands<float> floats_;
  const void* operands_;
  ThreadPool pool_;
  std::vector<Duration> durations_;  // [num_threads]
  FmaKernel kernel_;
  long rounds_ = 0;
};

}  // namespace

std::unique_ptr<Task> make_fma_peak(const Arguments& arguments) {
  const std::string precision = word_argument(arguments, 0, "PRECISION");
  const long num_threads = count_argument(arguments, 1, "THREADS");
  return std::make_unique<FmaPeak>(precision == "f64",
                                   static_cast<int>(num_threads));
}

}  // namespace mlp::bench
