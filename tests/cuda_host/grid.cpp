// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "execution_settings.hpp"
#include "fiber.hpp"
#include "guarded_bytes.hpp"
#include "kernel_error.hpp"

namespace mlp::cuda_host {

namespace {

constexpr unsigned kWarpSize = 32;
constexpr unsigned kMaxThreads = 1024;  // of a block

enum class Wait { kNone, kWarp, kBlock };

struct Thread {
  ThreadPlace place;
  std::unique_ptr<Fiber> fiber;
  Wait wait = Wait::kNone;
  CodePlace where;  ///< if it waits

  [[nodiscard]] bool is_done() const { return fiber->is_done(); }
};

/// What the lanes of a mask exchange.
struct LaneExchange {
  unsigned mask = 0;
  unsigned arrived = 0;  ///< 0 between two exchanges
  CodePlace where;
  WarpBytes values{};
  WarpBytes results{};
};

std::string describe(const Thread& thread) {
  const auto text = [](const uint3& index) {
    return '(' + std::to_string(index.x) + ", " + std::to_string(index.y) +
           ", " + std::to_string(index.z) + ')';
  };
  return "thread " + text(thread.place.thread) + " of block " +
         text(thread.place.block);
}

std::size_t volume(const dim3& size) {
  return std::size_t{size.x} * size.y * size.z;
}

uint3 index_in(const dim3& size, std::size_t linear) {
  const auto x = static_cast<unsigned>(linear % size.x);
  const auto y = static_cast<unsigned>(linear / size.x % size.y);
  const auto z = static_cast<unsigned>(linear / size.x / size.y);
  return {x, y, z};
}

/// Fibers that are free. Making one takes longer than a small kernel.
std::vector<std::unique_ptr<Fiber>>& free_fibers() {
  thread_local std::vector<std::unique_ptr<Fiber>> fibers;
  return fibers;
}

std::unique_ptr<Fiber> take_fiber() {
  auto& fibers = free_fibers();
  if (fibers.empty()) return std::make_unique<Fiber>();
  std::unique_ptr<Fiber> fiber = std::move(fibers.back());
  fibers.pop_back();
  return fiber;
}

/// The threads of one block, and what they share.
class Block {
 public:
  Block(const LaunchShape& shape, std::size_t index,
        const std::function<void()>& body)
      : shared_(shape.shared_bytes, execution_settings().fill) {
    const std::size_t size = volume(shape.block);
    for (std::size_t i = 0; i < size; ++i) {
      Thread thread;
      thread.place.thread = index_in(shape.block, i);
      thread.place.block = index_in(shape.grid, index);
      thread.place.block_size = shape.block;
      thread.place.grid_size = shape.grid;
      thread.place.lane = static_cast<unsigned>(i % kWarpSize);
      thread.fiber = take_fiber();
      thread.fiber->start(body);
      threads_.push_back(std::move(thread));
    }
    warps_.resize((size + kWarpSize - 1) / kWarpSize);
  }

  /// Returns the fibers of threads that have ended.
  ~Block() {
    for (Thread& thread : threads_) {
      if (thread.is_done()) free_fibers().push_back(std::move(thread.fiber));
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  [[nodiscard]] std::vector<Thread>& threads() { return threads_; }
  /// Returns the exchange of the lanes of a mask. Different masks of a warp may
  /// exchange at the same time.
  [[nodiscard]] LaneExchange& exchange_of(std::size_t thread, unsigned mask) {
    std::list<LaneExchange>& warp = warps_[thread / kWarpSize];
    const auto found = std::find_if(
        warp.begin(), warp.end(),
        [&](const LaneExchange& known) { return known.mask == mask; });
    if (found != warp.end()) return *found;
    warp.emplace_back().mask = mask;
    return warp.back();
  }
  [[nodiscard]] GuardedBytes& shared() { return shared_; }

  /// Returns true if all threads have ended.
  [[nodiscard]] bool is_done() const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [](const Thread& thread) { return thread.is_done(); });
  }

  /// Lets the threads continue if all of them wait for each other.
  ///
  /// \return true if they did
  /// \throws KernelError if they wait at different places
  bool release() {
    const Thread& first = threads_.front();
    for (const Thread& thread : threads_) {
      if (thread.is_done() || thread.wait != Wait::kBlock) return false;
    }
    for (Thread& thread : threads_) {
      if (!(thread.where == first.where)) {
        throw KernelError("divergent barrier: " + describe(first) +
                          " waits at " + first.where.text() + ", " +
                          describe(thread) + " at " + thread.where.text());
      }
      thread.wait = Wait::kNone;
    }
    return true;
  }

 private:
  GuardedBytes shared_;
  std::vector<Thread> threads_;
  std::vector<std::list<LaneExchange>> warps_;
};

/// The thread that runs, and its block.
struct Current {
  Block* block = nullptr;
  std::size_t thread = 0;

  [[nodiscard]] Thread& get() const { return block->threads()[thread]; }
};

thread_local Current current;

void wait_until_released(Wait wait, CodePlace where) {
  const Current mine = current;
  mine.get().wait = wait;
  mine.get().where = where;
  Fiber::pause();
  current = mine;
}

/// Shuffles numbers, or leaves their order if the seed is 0.
class Order {
 public:
  explicit Order(std::uint64_t seed) : generator_(seed), is_fixed_(seed == 0) {}

  [[nodiscard]] std::vector<std::size_t> of(std::size_t size) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!is_fixed_) std::shuffle(order.begin(), order.end(), generator_);
    return order;
  }

 private:
  std::mt19937_64 generator_;
  bool is_fixed_;
};

/// Says which threads wait for threads that will never come.
[[noreturn]] void refuse_deadlock(Block& block) {
  const Thread* waiting = nullptr;
  const Thread* ended = nullptr;
  for (const Thread& thread : block.threads()) {
    (thread.is_done() ? ended : waiting) = &thread;
  }
  throw KernelError(describe(*waiting) + " waits at " + waiting->where.text() +
                    " for threads that never arrive there" +
                    (ended ? "; " + describe(*ended) + " has returned" : ""));
}

/// Runs the threads of a block that need not wait.
///
/// \return true if there was one
bool run_threads(Block& block, Order& order) {
  bool has_run = false;
  for (const std::size_t i : order.of(block.threads().size())) {
    Thread& thread = block.threads()[i];
    if (thread.is_done() || thread.wait != Wait::kNone) continue;
    current = {&block, i};
    thread.fiber->resume();
    current = {};
    has_run = true;
  }
  return block.release() || has_run;
}

/// Runs a block until all of its threads have ended.
void run_block(Block& block, Order& order) {
  while (run_threads(block, order)) {
  }
  if (!block.is_done()) refuse_deadlock(block);
  if (block.shared().is_intact()) return;
  throw KernelError("a kernel wrote outside the " +
                    std::to_string(block.shared().size()) +
                    " bytes of shared memory of its block");
}

void check_shape(const LaunchShape& shape) {
  const std::size_t threads = volume(shape.block);
  if (threads == 0 || threads > kMaxThreads || volume(shape.grid) == 0) {
    throw KernelError(
        "a launch must have at least 1 block of 1 to 1024 "
        "threads; got " +
        std::to_string(volume(shape.grid)) + " blocks of " +
        std::to_string(threads));
  }
}

}  // namespace

void run_grid(const LaunchShape& shape, const std::function<void()>& body) {
  check_shape(shape);
  Order order(execution_settings().order_seed);
  for (const std::size_t i : order.of(volume(shape.grid))) {
    Block block(shape, i, body);
    run_block(block, order);
  }
}

const ThreadPlace& this_thread() { return current.get().place; }

void* shared_memory() { return current.block->shared().data(); }

void wait_for_block(CodePlace where) {
  wait_until_released(Wait::kBlock, where);
}

const WarpBytes& exchange_bytes(unsigned mask, const void* value,
                                std::size_t bytes, CodePlace where) {
  const Current mine = current;
  const Thread& thread = mine.get();
  const unsigned own = 1U << thread.place.lane;
  if ((mask & own) == 0) {
    throw KernelError(describe(thread) +
                      " is not in the mask of its exchange " + "at " +
                      where.text());
  }
  LaneExchange& lanes = mine.block->exchange_of(mine.thread, mask);
  if (lanes.arrived == 0) lanes.where = where;
  if (!(lanes.where == where)) {
    throw KernelError("divergent warp: " + describe(thread) + " exchanges at " +
                      where.text() + ", other lanes at " + lanes.where.text());
  }
  std::memcpy(lanes.values[thread.place.lane].data(), value, bytes);
  lanes.arrived |= own;
  if (lanes.arrived != mask) {
    wait_until_released(Wait::kWarp, where);
    return lanes.results;
  }
  lanes.results = std::exchange(lanes.values, WarpBytes{});
  lanes.arrived = 0;
  const std::size_t first = mine.thread - thread.place.lane;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    mine.block->threads()[first + lane].wait = Wait::kNone;
  }
  return lanes.results;
}

}  // namespace mlp::cuda_host
