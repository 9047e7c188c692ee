// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <functional>
#include <new>

#include "kernel_error.hpp"

using namespace mlp::cuda_host;

namespace {

/// Returns true if a function ends the process with an access to memory that is
/// not allowed. The address sanitizer turns the signal into an exit code.
bool crashes(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGSEGV, [](int) { ::_exit(77); });
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 77;
}

}  // namespace

TEST_CASE("Fresh device memory is filled, and aligned to 256 bytes") {
  auto* const numbers =
      static_cast<double*>(allocate_device_memory(3 * sizeof(double)));
  CHECK(reinterpret_cast<std::uintptr_t>(numbers) % 256 == 0);
  CHECK(used_device_memory() == 3 * sizeof(double));
  {
    const DeviceAccess access;
    CHECK(std::isnan(numbers[0]));
    CHECK(std::isnan(numbers[2]));
  }
  free_device_memory(numbers);
  CHECK(used_device_memory() == 0);
}

TEST_CASE("The host cannot access device memory") {
  auto* const byte = static_cast<volatile char*>(allocate_device_memory(1));
  CHECK(crashes([&] { *byte = 1; }));
  CHECK(crashes([&] { static_cast<void>(*byte); }));
  CHECK_FALSE(crashes([&] {
    const DeviceAccess access;
    *byte = 1;
  }));
  free_device_memory(const_cast<char*>(byte));
}

TEST_CASE("An access behind the last page of an allocation crashes") {
  auto* const bytes = static_cast<volatile char*>(allocate_device_memory(512));
  CHECK(crashes([&] {
    const DeviceAccess access;
    bytes[512] = 1;
  }));
  free_device_memory(const_cast<char*>(bytes));
}

TEST_CASE(
    "A write between the end and the last page is found when it is freed") {
  auto* const bytes = static_cast<volatile char*>(allocate_device_memory(500));
  {
    const DeviceAccess access;
    bytes[500] = 1;
  }
  CHECK_THROWS_WITH_AS(free_device_memory(const_cast<char*>(bytes)),
                       "a kernel wrote behind the 500 bytes of an allocation",
                       KernelError);
}

TEST_CASE("Memory is freed once, and only if it was allocated") {
  void* const address = allocate_device_memory(8);
  free_device_memory(address);
  CHECK_THROWS_AS(free_device_memory(address), KernelError);
  CHECK_NOTHROW(free_device_memory(nullptr));
}

TEST_CASE("A range must be in one allocation") {
  auto* const bytes = static_cast<char*>(allocate_device_memory(100));
  CHECK_NOTHROW(check_device_range(bytes, 100));
  CHECK_NOTHROW(check_device_range(bytes + 40, 60));
  CHECK_THROWS_WITH_AS(check_device_range(bytes + 40, 61),
                       "a copy of 61 bytes exceeds an allocation, which has 60 "
                       "bytes left",
                       KernelError);
  CHECK_THROWS_AS(check_device_range(&bytes, 1), KernelError);
  free_device_memory(bytes);
}

TEST_CASE("An access must be at a multiple of its bytes") {
  auto* const bytes = static_cast<char*>(allocate_device_memory(100));
  CHECK_NOTHROW(check_alignment(bytes + 48, 16));
  CHECK_THROWS_WITH_AS(
      check_alignment(bytes + 8, 16),
      doctest::Contains(" is not a multiple of the 16 bytes that are accessed"),
      KernelError);
  free_device_memory(bytes);
}

TEST_CASE("The device has as much memory as its limit") {
  const std::size_t before = memory_limit();
  memory_limit() = 1000;
  void* const half = allocate_device_memory(600);
  CHECK_THROWS_AS(allocate_device_memory(401), std::bad_alloc);
  free_device_memory(half);
  memory_limit() = before;
}
