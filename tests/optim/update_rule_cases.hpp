// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What every update rule of mini-batches does, for the tests of each rule.

#include <doctest/doctest.h>

#include <cstdint>

#include "../../core/spark_random.hpp"
#include "../../optim/update_range.hpp"
#include "../thrown_message.hpp"

namespace mlp::optim::testing {

// Recorded numbers and the naive rule round in another order.
constexpr double kRounding = 1e-12;

inline Vector start() { return Eigen::Vector3d(1.0, -2.0, 0.5); }

/// The gradient that the recorded runs had.
inline Vector gradient_at(const Vector& w) {
  return Eigen::Array3d(1.0, 10.0, 0.1) * w.array() +
         Eigen::Array3d(0.3, -0.2, 0.1);
}

inline double distance(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

template <typename Number>
Eigen::Matrix<Number, Eigen::Dynamic, 1> draw(Index size, std::int64_t seed) {
  SparkRandom random(seed);
  Eigen::Matrix<Number, Eigen::Dynamic, 1> vector(size);
  for (Number& x : vector) x = static_cast<Number>(random.next_double() - 0.5);
  return vector;
}

/// 50 steps of 0.01 in all weights, which all decay.
template <template <typename> class Rule, typename Options>
Vector run(const Options& options) {
  Rule<double> rule(3, options);
  Vector w = start();
  for (int step = 0; step < 50; ++step) {
    rule.begin_step(0.01);
    rule.update({0, 3, true}, w, gradient_at(w));
  }
  return w;
}

template <template <typename> class Rule, typename Options>
void check_split_ranges(const Options& options) {
  constexpr Index kSize = 100;
  Rule<float> whole(kSize, options);
  Rule<float> split(kSize, options);
  Eigen::VectorXf expected = draw<float>(kSize, 1);
  Eigen::VectorXf weights = expected;

  for (int step = 0; step < 5; ++step) {
    const Eigen::VectorXf gradient = draw<float>(kSize, 10 + step);
    whole.begin_step(0.01);
    whole.update({0, kSize, true}, expected, gradient);
    split.begin_step(0.01);
    split.update({37, 63, true}, weights, gradient);
    split.update({0, 1, true}, weights, gradient);
    split.update({1, 36, true}, weights, gradient);
  }

  CHECK(weights == expected);
}

template <template <typename> class Rule, typename Options>
void check_outside_of_ranges(const Options& options) {
  Rule<double> rule(40, options);
  const Vector before = draw<double>(40, 1);
  Vector weights = before;

  rule.begin_step(0.1);
  rule.update({7, 20, true}, weights, draw<double>(40, 2));

  CHECK(weights.head(7) == before.head(7));
  CHECK(
      (weights.segment(7, 20).array() != before.segment(7, 20).array()).all());
  CHECK(weights.tail(13) == before.tail(13));
}

/// Gives the state of a rule after a step to another one.
///
/// \param take_over  called with the other rule and the first
template <template <typename> class Rule, typename Options, typename TakeOver>
void check_taken_state(const Options& options, const TakeOver& take_over) {
  const Eigen::VectorXf gradient = draw<float>(40, 2);
  Rule<float> first(40, options);
  Eigen::VectorXf expected = draw<float>(40, 1);
  first.begin_step(0.1);
  first.update({0, 40, true}, expected, gradient);
  Eigen::VectorXf weights = expected;
  Rule<float> other(40, options);

  take_over(other, first);

  CHECK(other.num_steps() == 1);
  for (auto* rule : {&first, &other}) rule->begin_step(0.1);
  first.update({0, 40, true}, expected, gradient);
  other.update({0, 40, true}, weights, gradient);
  CHECK(other.num_steps() == 2);
  CHECK(weights == expected);
}

template <template <typename> class Rule, typename Options>
void check_restored_state(const Options& options) {
  check_taken_state<Rule>(options, [](auto& restored, const auto& saved) {
    ByteWriter writer;
    saved.save(writer);
    ByteReader reader(writer.bytes(), "run.state");
    restored.restore(reader);
    reader.require_end();
  });
}

template <template <typename> class Rule, typename Options>
void check_refused_states(const Options& options) {
  ByteWriter writer;
  Rule<float>(4, options).save(writer);
  const auto refusal = [&](auto rule) {
    ByteReader reader(writer.bytes(), "run.state");
    return test::thrown_message<ModelError>([&] { rule.restore(reader); });
  };

  CHECK(refusal(Rule<float>(4, options)).empty());
  CHECK(refusal(Rule<float>(5, options)) ==
        "run.state: the number of weights must be 5 as in this run; got 4 in "
        "the state; resume the run that wrote it");
  CHECK(refusal(Rule<double>(4, options)) ==
        "run.state: the bytes of a number must be 8 as in this run; got 4 in "
        "the state; resume the run that wrote it");
}

}  // namespace mlp::optim::testing
