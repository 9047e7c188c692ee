// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Changes the state in a checkpoint whose hash is right, and resumes it by every
// solver until the next iteration or epoch.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../../../mlp/checkpoint/checkpoint_file.hpp"
#include "../../mlp/training/support/resume_case.hpp"
#include "../outcome.hpp"
#include "checkpoint_bytes.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

namespace mlp::fuzz {

namespace {

const std::vector<testing::ResumeCase>& cases() {
  static const std::vector<testing::ResumeCase> all = testing::resume_cases();
  return all;
}

/// Returns a checkpoint as a training writes it. Its fingerprint is the name of
/// the case.
Checkpoint make_checkpoint(std::minstd_rand& random) {
  static std::vector<std::string> states(cases().size());
  const std::size_t i = random() % cases().size();
  if (states[i].empty()) states[i] = testing::save_state(cases()[i]);
  return {cases()[i].name, states[i]};
}

/// Overwrites eight bytes by a number that is seldom expected.
void replace_number(std::string& state, std::minstd_rand& random) {
  using Limits = std::numeric_limits<double>;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr std::array<std::int64_t, 12> kIntegers{
      0,         1,
      -1,        2,
      3,         7,
      1000,      -1000,
      kLargest,  kLargest - 1,
      -kLargest, std::int64_t{1} << 61};
  constexpr std::array kReals{Limits::quiet_NaN(), Limits::infinity(),
                              -Limits::infinity(), Limits::max(),
                              -Limits::max(),      -0.0};
  if (state.size() < sizeof(std::int64_t)) return;
  const std::size_t at = random() % (state.size() - sizeof(std::int64_t) + 1);
  const std::int64_t bits =
      random() % 3 != 0
          ? kIntegers[random() % kIntegers.size()]
          : std::bit_cast<std::int64_t>(kReals[random() % kReals.size()]);
  std::memcpy(state.data() + at, &bits, sizeof bits);
}

void mutate_bytes(std::string& state) {
  const std::size_t size = state.size();
  state.resize(size + 32);
  state.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(state.data()),
                                size, size + 32));
}

void mutate(std::string& state, std::minstd_rand& random) {
  const std::size_t at = random() % (state.size() + 1);
  switch (random() % 8) {
    case 0:
      return state.resize(at);
    case 1:
      state.insert(at, 8, '\0');
      return;
    case 2:
      state.erase(at, 8);
      return;
    case 3:
    case 4:
      return mutate_bytes(state);
    default:
      replace_number(state, random);
  }
}

std::optional<Checkpoint> parse(const std::uint8_t* data, std::size_t size) {
  return outcome_of([&] {
           return mlp::detail::parse_checkpoint(
               {reinterpret_cast<const char*>(data), size}, "state.ckpt");
         })
      .value;
}

void resume(const testing::ResumeCase& one, const std::string& state) {
  const Topology topology = topology_of(one.params);
  const auto result =
      outcome_of([&] { return testing::resume_once(one, state); });
  if (!result.value) return;
  require(result.value->weights.size() == topology.num_weights(),
          "as many weights as the network has");
  require(result.value->statistics.size() == topology.num_statistics(),
          "as many statistics as the network has");
}

}  // namespace

}  // namespace mlp::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  using namespace mlp;
  std::minstd_rand random(seed);
  auto checkpoint = fuzz::parse(data, size);
  if (!checkpoint || random() % 8 == 0) {
    checkpoint = fuzz::make_checkpoint(random);
  }
  fuzz::mutate(checkpoint->state, random);
  const std::string bytes = fuzz::checkpoint_bytes(*checkpoint);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const auto checkpoint = mlp::fuzz::parse(data, size);
  if (!checkpoint || checkpoint->state.empty()) return 0;
  for (const mlp::testing::ResumeCase& one : mlp::fuzz::cases()) {
    if (one.name != checkpoint->fingerprint) continue;
    mlp::fuzz::resume(one, checkpoint->state);
  }
  return 0;
}
