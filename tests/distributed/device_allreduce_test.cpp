// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/device_allreduce.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <vector>

namespace {

/// A group of one rank whose device is the memory of the host. Its streams are
/// lists of work that runs when somebody waits.
class PlainGroup final : public mlp::distributed::DeviceAllreduce {
 public:
  using Stream = std::vector<std::function<void()>>;

  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 1; }
  void sum(std::span<double> /*numbers*/) override { ++num_sums; }
  void sum_on_device(double* numbers, std::size_t count,
                     void* stream) override {
    add(numbers, count, stream);
  }
  void sum_on_device(float* numbers, std::size_t count, void* stream) override {
    add(numbers, count, stream);
  }
  void wait(void* stream) override {
    for (const auto& work : *static_cast<Stream*>(stream)) work();
  }

  int num_sums = 0;

 private:
  template <typename Number>
  void add(Number* numbers, std::size_t count, void* stream) {
    static_cast<Stream*>(stream)->emplace_back(
        [numbers, count] { numbers[count - 1] = Number{7}; });
  }
};

TEST_SUITE("distributed/device_allreduce") {
  TEST_CASE("sums on a device when the stream is waited for") {
    PlainGroup plain;
    mlp::distributed::DeviceAllreduce& group = plain;
    PlainGroup::Stream stream;
    std::array<double, 2> doubles{1.0, 2.0};
    std::array<float, 2> floats{1.0F, 2.0F};

    group.sum_on_device(doubles.data(), doubles.size(), &stream);
    group.sum_on_device(floats.data(), floats.size(), &stream);
    const double before = doubles[1];
    group.wait(&stream);

    CHECK(before == 2.0);
    CHECK(doubles[1] == 7.0);
    CHECK(floats[1] == 7.0F);
  }

  TEST_CASE("has the defaults of every group for numbers of the host") {
    PlainGroup plain;
    mlp::distributed::Allreduce& group = plain;
    std::array<float, 2> numbers{1.0F, 2.0F};

    group.sum(numbers);

    CHECK(plain.num_sums == 1);
    CHECK(numbers[1] == 2.0F);
    CHECK(group.all_gather("text").front() == "text");
  }
}

}  // namespace
