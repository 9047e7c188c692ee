// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "repeated_features.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>

#include "../../core/error.hpp"

namespace mlp::bench {
namespace {

[[noreturn]] void fail(const char* call) {
  throw ResourceError(std::string("the memory of the features: ") + call +
                      ": " + std::strerror(errno));
}

void draw(double* features, Index size) {
  constexpr int kLargestByte = 255;
  constexpr double kScale = 1.0 / kLargestByte;
  std::mt19937_64 generator(1);
  std::uniform_int_distribution<int> distribution(0, kLargestByte);
  for (Index i = 0; i < size; ++i) {
    features[i] = kScale * distribution(generator);
  }
}

}  // namespace

RepeatedFeatures::RepeatedFeatures(Index num_features, Index num_repeated,
                                   Index num_repeats) {
  const Index size = num_features * num_repeated;
  const auto part_bytes = static_cast<std::size_t>(size) * sizeof(double);
  const auto count = static_cast<std::size_t>(num_repeats);
  num_bytes_ = part_bytes * count;
  const int file = memfd_create("features", 0);
  if (file < 0) fail("memfd_create");
  // The first mapping reserves the addresses, the others take their places.
  const bool has_size = ftruncate(file, static_cast<off_t>(part_bytes)) == 0;
  memory_ = has_size ? mmap(nullptr, num_bytes_, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : MAP_FAILED;
  bool is_mapped = memory_ != MAP_FAILED;
  for (std::size_t i = 0; is_mapped && i < count; ++i) {
    is_mapped = mmap(static_cast<char*>(memory_) + i * part_bytes, part_bytes,
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                     0) != MAP_FAILED;
  }
  const int error = errno;
  close(file);
  if (!is_mapped) {
    if (memory_ != MAP_FAILED) munmap(memory_, num_bytes_);
    errno = error;
    fail("mmap");
  }
  draw(static_cast<double*>(memory_), size);
}

RepeatedFeatures::~RepeatedFeatures() { munmap(memory_, num_bytes_); }

}  // namespace mlp::bench
