// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/allreduce.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace mlp::distributed {

namespace {

/// A group of two whose other rank always sends the same numbers.
class Echo : public Allreduce {
 public:
  explicit Echo(std::vector<std::vector<double>> others)
      : others_(std::move(others)) {}

  using Allreduce::sum;

  [[nodiscard]] int rank() const override { return 1; }
  [[nodiscard]] int world_size() const override { return 2; }

  void sum(std::span<double> numbers) override {
    const std::vector<double>& other = others_.at(num_calls_++);
    REQUIRE(numbers.size() == other.size());
    for (std::size_t i = 0; i < other.size(); ++i) numbers[i] += other[i];
  }

 private:
  std::vector<std::vector<double>> others_;
  std::size_t num_calls_ = 0;
};

}  // namespace

TEST_SUITE("distributed/allreduce") {
  TEST_CASE("gathers texts of any length and any bytes by sums alone") {
    // Rank 0 sends the text "ab": 97 + 98 * 256. Rank 1 sends 7 bytes, which need
    // two numbers; there are a zero and the highest byte among them.
    Echo allreduce({{2, 0}, {25185, 0, 0}});
    const std::string text("\xff\0xyz\xff!", 7);

    const std::vector<std::string> texts = allreduce.all_gather(text);

    CHECK(texts == std::vector<std::string>{"ab", text});
  }

  TEST_CASE("gathers empty texts without a second sum") {
    Echo allreduce({{0, 0}});

    CHECK(allreduce.all_gather("") == std::vector<std::string>{"", ""});
  }

  TEST_CASE("adds narrow numbers in double precision and rounds once") {
    Echo allreduce({{1.0}, {1.0}, {1.0}});
    // Each is half a last place of 1, and ties go to even.
    std::array<float, 1> floats{0x1.0p-24f};
    std::array<Float16, 1> halves{Float16(0x1.0p-11f)};
    std::array<Bfloat16, 1> brains{Bfloat16(0x1.8p-8f)};

    allreduce.sum(std::span<float>(floats));
    allreduce.sum(std::span<Float16>(halves));
    allreduce.sum(std::span<Bfloat16>(brains));

    CHECK(floats[0] == 1.0f);
    CHECK(static_cast<float>(halves[0]) == 1.0f);
    CHECK(static_cast<float>(brains[0]) == 1.0f + 0x1.0p-7f);
  }
}

}  // namespace mlp::distributed
