// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/training/mini_batch_trainer.hpp"
#include "../../thrown_message.hpp"
#include "../training/support/resume_case.hpp"

namespace mlp {

namespace {

using testing::ResumeCase;

const std::vector<ResumeCase>& cases() {
  static const std::vector<ResumeCase> all = testing::resume_cases();
  return all;
}

const ResumeCase& case_of(const std::string& name) {
  for (const ResumeCase& one : cases()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no case is called " + name);
}

/// Resumes; the sentence of the refusal, or an empty text after a fit of the right
/// sizes. Every other error leaves this function.
std::string resume(const ResumeCase& one, const std::string& state) {
  return test::thrown_message<ModelError>([&] {
    const TrainedWeights trained = testing::resume_once(one, state);
    const Topology topology = topology_of(one.params);
    CHECK(trained.weights.size() == topology.num_weights());
    CHECK(trained.statistics.size() == topology.num_statistics());
  });
}

std::int64_t integer_at(const std::string& state, std::size_t place) {
  std::int64_t value = 0;
  std::memcpy(&value, state.data() + place, sizeof(value));
  return value;
}

template <typename T>
std::string with(std::string state, std::size_t place, T value) {
  std::memcpy(state.data() + place, &value, sizeof(value));
  return state;
}

/// The states in which the 8 bytes at a place are another number.
std::vector<std::string> with_other_number(const std::string& state,
                                           std::size_t place) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto old = static_cast<std::uint64_t>(integer_at(state, place));
  std::vector<std::string> states{with(state, place, old + 1),
                                  with(state, place, old - 1)};
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, Limits::min(), Limits::max(),
        std::int64_t{1} << 31, std::int64_t{1} << 60}) {
    states.push_back(with(state, place, value));
  }
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e308}) {
    states.push_back(with(state, place, value));
  }
  return states;
}

/// The states in which a vector at a place, if there is one, has another size and
/// as many elements.
///
/// \param width  bytes of an element
std::vector<std::string> with_other_size(const std::string& state,
                                         std::size_t place, std::size_t width) {
  const std::int64_t size = integer_at(state, place);
  const std::size_t begin = place + 8;
  const auto most = static_cast<std::int64_t>((state.size() - begin) / width);
  if (size < 1 || size > most) return {};
  std::vector<std::string> states;
  for (const std::int64_t other : {std::int64_t{0}, size - 1, size + 1}) {
    std::string changed = with(state, place, other);
    const auto count = static_cast<std::size_t>(size) * width;
    std::string elements = changed.substr(begin, count);
    elements.resize(static_cast<std::size_t>(other) * width);
    states.push_back(changed.replace(begin, count, elements));
  }
  return states;
}

/// Where the fields of a mini-batch state without validation are.
constexpr std::size_t kEpoch = 0;
constexpr std::size_t kBatch = 8;
constexpr std::size_t kWeightSum = 24;
constexpr std::size_t kNumWeights = 40;

/// The refusal of a state with another number at a place, without the name.
template <typename T>
std::string refusal(const std::string& name, std::size_t place, T value) {
  const ResumeCase& one = case_of(name);
  const std::string sentence =
      resume(one, with(testing::save_state(one), place, value));
  const std::string begin = "the state: ";
  REQUIRE(sentence.starts_with(begin));
  return sentence.substr(begin.size());
}

/// The refusal of a number: "WHAT must be X", and what the state has.
std::string wrong(const std::string& rule, const std::string& got) {
  return rule + " as in this run; got " + got +
         " in the state; resume the run that wrote it";
}

}  // namespace

TEST_SUITE("mlp/checkpoint/damaged_state") {
  TEST_CASE("resumes every kind of state for one iteration") {
    for (const ResumeCase& one : cases()) {
      CAPTURE(one.name);
      const std::string state = testing::save_state(one);

      REQUIRE(state.size() > 100);
      CHECK(resume(one, state) == "");
    }
  }

  TEST_CASE("refuses a state or fits when any number is another one") {
    for (const ResumeCase& one : cases()) {
      CAPTURE(one.name);
      const std::string state = testing::save_state(one);
      Index num_refused = 0;
      for (std::size_t place = 0; place + 8 <= state.size(); ++place) {
        CAPTURE(place);
        for (const std::string& changed : with_other_number(state, place)) {
          num_refused += resume(one, changed).empty() ? 0 : 1;
        }
      }

      CHECK(num_refused > 100);
    }
  }

  TEST_CASE("refuses every state in which a vector has another size") {
    for (const ResumeCase& one : cases()) {
      CAPTURE(one.name);
      const std::string state = testing::save_state(one);
      const std::size_t width = one.precision == Precision::kFloat32 ? 4 : 8;
      Index num_refused = 0;
      for (std::size_t place = 0; place + 8 <= state.size(); ++place) {
        CAPTURE(place);
        for (const std::string& changed :
             with_other_size(state, place, width)) {
          num_refused += resume(one, changed).empty() ? 0 : 1;
        }
      }

      CHECK(num_refused >= 6);
    }
  }

  TEST_CASE("refuses every state that is cut or continued") {
    for (const ResumeCase& one : cases()) {
      CAPTURE(one.name);
      const std::string state = testing::save_state(one);
      for (std::size_t size = 1; size < state.size(); ++size) {
        CAPTURE(size);
        CHECK(resume(one, state.substr(0, size)) != "");
      }

      CHECK(resume(one, state + '\0').find("got 1 bytes more") !=
            std::string::npos);
    }
  }

  TEST_CASE("says which count of a mini-batch state is wrong") {
    constexpr std::int64_t kHuge = std::int64_t{1} << 60;

    CHECK(refusal("adam", kEpoch, std::int64_t{-1}) ==
          wrong("the number of finished epochs must be 0 to 9007199254740992",
                "-1"));
    CHECK(refusal("adam", kEpoch, std::int64_t{4}) ==
          wrong("the number of finished epochs must be 3", "4"));
    CHECK(refusal("adam", kBatch, std::int64_t{3}) ==
          wrong("the next mini-batch of the epoch must be 0 to 2", "3"));
    CHECK(refusal("adam", kBatch, std::int64_t{1}) ==
          wrong("the number of evaluations must be 10", "11"));
    CHECK(refusal("sgd", kNumWeights, kHuge) ==
          wrong("the number of weights must be 15", "1152921504606846976"));
  }

  TEST_CASE("refuses sums that are not of the mini-batches before") {
    CHECK(refusal("sgd", kWeightSum, 7.0)
              .starts_with("the sums of the epoch must be of 8 instances; got "
                           "a loss of "));
  }

  TEST_CASE("says that the best weights of early stopping are too few") {
    const ResumeCase& one = case_of("l-bfgs with validation");
    std::string state = testing::save_state(one);
    // A flag and the losses come before.
    const std::size_t num_losses =
        static_cast<std::size_t>(integer_at(state, 1));
    const std::size_t size_place = 1 + 8 + 8 * num_losses;
    state = with(state, size_place, std::int64_t{14}).erase(size_place + 8, 8);

    CHECK(resume(one, state) ==
          "the state: " + wrong("the number of best weights must be 15", "14"));
  }

  TEST_CASE("says that validation losses are too few") {
    const ResumeCase& one = case_of("l-bfgs with validation");
    std::string state = testing::save_state(one);
    // Only the first loss is left.
    const std::int64_t num_losses = integer_at(state, 1);
    state = with(state, 1, std::int64_t{1})
                .erase(17, 8 * static_cast<std::size_t>(num_losses - 1));

    const std::string sentence = resume(one, state);

    CHECK(sentence.starts_with(
        "the state: must have a validation loss for each of the "));
  }

  TEST_CASE("says which count of a full-batch state is wrong") {
    // The name and both vectors, then three numbers.
    const std::size_t place = 16 + 2 * (8 + 15 * 8) + 3 * 8;
    const std::size_t last = testing::save_state(case_of("gd")).size() - 8;

    CHECK(refusal("l-bfgs", place, std::int64_t{5}) ==
          wrong("the number of accepted steps must be 0 to 4", "5"));
    CHECK(refusal("gd", last, std::int64_t{6}) ==
          wrong("the number of evaluations must be 5", "6"));
  }

  TEST_CASE("names the file of the state") {
    const ResumeCase& one = case_of("adam");
    FitOptions options;
    options.checkpoint.state = "x";
    options.checkpoint.state_name = "run.checkpoint";

    CHECK_THROWS_WITH_AS(testing::run_case(one, options),
                         "run.checkpoint: the state ends early; expected 8 "
                         "bytes at byte 0, got 1",
                         ModelError);
  }
}

}  // namespace mlp
