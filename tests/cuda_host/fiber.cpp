// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cassert>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define MLP_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MLP_HAS_ASAN 1
#endif
#endif

#ifdef MLP_HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace mlp::cuda_host {

namespace {

thread_local Fiber* running = nullptr;

/// Unwinds the stack of a body that is paused when its fiber is destroyed.
struct Cancelled {};

/// Tells the address sanitizer that another stack is about to be used.
///
/// \param[out] saved  of the stack that is left; null if it ends
void begin_switch([[maybe_unused]] void** saved,
                  [[maybe_unused]] const void* bottom,
                  [[maybe_unused]] std::size_t bytes) {
#ifdef MLP_HAS_ASAN
  __sanitizer_start_switch_fiber(saved, bottom, bytes);
#endif
}

void end_switch([[maybe_unused]] void* saved,
                [[maybe_unused]] const void** bottom,
                [[maybe_unused]] std::size_t* bytes) {
#ifdef MLP_HAS_ASAN
  __sanitizer_finish_switch_fiber(saved, bottom, bytes);
#endif
}

}  // namespace

Fiber::Fiber() {
  boost::context::protected_fixedsize_stack allocator(kStackBytes);
  boost::context::stack_context stack = allocator.allocate();
  bottom_ = static_cast<const char*>(stack.sp) - stack.size;
  own_ = boost::context::fiber(
      std::allocator_arg,
      boost::context::preallocated(stack.sp, stack.size, stack), allocator,
      [this](boost::context::fiber&& caller) {
        end_switch(nullptr, &caller_bottom_, &caller_bytes_);
        caller_ = std::move(caller);
        run();
        begin_switch(nullptr, caller_bottom_, caller_bytes_);
        return std::move(caller_);
      });
}

Fiber::~Fiber() {
  is_cancelled_ = true;
  switch_to();
}

void Fiber::start(std::function<void()> body) {
  assert(is_done_);
  body_ = std::move(body);
  is_done_ = false;
}

void Fiber::resume() {
  switch_to();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Fiber::switch_to() {
  Fiber* const before = std::exchange(running, this);
  void* saved = nullptr;
  begin_switch(&saved, bottom_, kStackBytes);
  own_ = std::move(own_).resume();
  end_switch(saved, nullptr, nullptr);
  running = before;
}

void Fiber::pause() {
  Fiber& fiber = *running;
  fiber.switch_back();
  if (fiber.is_cancelled_) throw Cancelled();
}

void Fiber::switch_back() {
  void* saved = nullptr;
  begin_switch(&saved, caller_bottom_, caller_bytes_);
  caller_ = std::move(caller_).resume();
  end_switch(saved, &caller_bottom_, &caller_bytes_);
}

void Fiber::run() {
  while (!is_cancelled_) {
    try {
      body_();
    } catch (const Cancelled&) {
      return;
    } catch (...) {
      failure_ = std::current_exception();
    }
    is_done_ = true;
    switch_back();
  }
}

}  // namespace mlp::cuda_host
