// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/early_stopping.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "../../../core/error.hpp"

namespace mlp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Records a loss for weights and statistics of this number.
bool record(EarlyStopping& stopping, double loss, double number) {
  return stopping.record(loss, Vector::Constant(2, number),
                         Vector::Constant(1, -number));
}

/// Records losses of the numbers 1, 2, ...
/// \returns how many were recorded before the one that ends the training
std::size_t num_before_end(EarlyStopping& stopping,
                           const std::vector<double>& losses) {
  std::size_t i = 0;
  while (i < losses.size() &&
         record(stopping, losses[i], static_cast<double>(i + 1))) {
    ++i;
  }
  return i;
}

/// The number for which the best weights and statistics were recorded.
double best_number(const EarlyStopping& stopping) {
  Vector weights = Vector::Zero(2);
  Vector statistics = Vector::Zero(1);
  stopping.restore_best(weights, statistics);
  CHECK(weights == Vector::Constant(2, -statistics[0]));
  return weights[0];
}

}  // namespace

TEST_SUITE("mlp/training/early_stopping") {
  TEST_CASE("ends the training after patience losses that are not lower") {
    EarlyStopping stopping(2);

    CHECK(num_before_end(stopping, {3.0, 2.0, 2.5, 2.4}) == 3);
  }

  TEST_CASE("takes an equal loss for no improvement") {
    EarlyStopping stopping(1);

    CHECK(num_before_end(stopping, {1.0, 1.0}) == 1);
    CHECK(best_number(stopping) == 1);
  }

  TEST_CASE("counts anew after a lower loss") {
    EarlyStopping stopping(2);

    CHECK(num_before_end(stopping, {3.0, 4.0, 2.0, 4.0, 4.0}) == 4);
  }

  TEST_CASE("gives back the weights and statistics of the lowest loss") {
    EarlyStopping stopping(10);

    CHECK(num_before_end(stopping, {3.0, 1.0, 2.0}) == 3);
    CHECK(best_number(stopping) == 2);
    CHECK(stopping.best_loss() == 1.0);
  }

  TEST_CASE("takes NaN for no improvement") {
    EarlyStopping stopping(2);

    CHECK(num_before_end(stopping, {1.0, kNaN, kNaN}) == 2);
    CHECK(best_number(stopping) == 1);
  }

  TEST_CASE("leaves weights as they are where no loss was a number") {
    EarlyStopping stopping(5);
    record(stopping, kNaN, 1);
    Vector weights = Vector::Constant(2, 7.0);
    Vector statistics;

    stopping.restore_best(weights, statistics);

    CHECK(weights == Vector::Constant(2, 7.0));
    CHECK(statistics.size() == 0);
  }

  TEST_CASE("resumes from a saved state") {
    EarlyStopping stopping(2);
    record(stopping, 1.0, 1);
    record(stopping, 2.0, 2);
    ByteWriter writer;
    stopping.save(writer);
    EarlyStopping restored(2);

    ByteReader reader(writer.bytes(), "the state");
    restored.restore(reader, 2, 1);
    reader.require_end();

    CHECK(best_number(restored) == 1);
    CHECK(restored.history() == std::vector<double>{1.0, 2.0});
    CHECK_FALSE(record(restored, 1.5, 3));
  }

  TEST_CASE("rejects a state that is cut") {
    EarlyStopping stopping(2);
    ByteReader reader("0123456789", "the state");

    CHECK_THROWS_AS(stopping.restore(reader, 2, 1), ModelError);
  }
}

}  // namespace mlp
