// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/exact_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../distributed/identity.hpp"

namespace mlp::distributed {

namespace {

/// Numbers of both signs and of magnitudes from 2^-80 to 2^19.
std::vector<double> draw_numbers(std::mt19937& random, std::size_t size) {
  std::vector<double> numbers(size);
  for (double& number : numbers) {
    const double fraction = static_cast<double>(random()) / 4294967296.0 - 0.5;
    number = std::ldexp(fraction, static_cast<int>(random() % 100) - 80);
  }
  return numbers;
}

double sum_of(const std::vector<double>& terms, double scale = 1.0) {
  ExactSum sum(1);
  sum.clear(scale);
  for (const double& term : terms) sum.add(0, &term, 1);
  double result = 0.0;
  sum.read(0, &result, 1);
  return result;
}

}  // namespace

TEST_SUITE("distributed/exact_sum") {
  TEST_CASE("keeps what an ordinary sum loses") {
    CHECK(sum_of({1e5, 0x1p-60, -1e5}) == 0x1p-60);
    CHECK(sum_of({1.0, 0x1p-100, -1.0}) == 0x1p-100);
  }

  TEST_CASE("gives one term back to the last bit") {
    std::mt19937 random(7);
    for (const double number : draw_numbers(random, 1000)) {
      // Below 2^-65 the last bits of a double lie below the low unit.
      if (std::abs(number) < 0x1p-65) continue;
      CHECK(sum_of({number}) == number);
    }
  }

  TEST_CASE("fits numbers up to its limit, and infinity") {
    CHECK(ExactSum::fits(ExactSum::kLimit));
    CHECK_FALSE(ExactSum::fits(std::nextafter(ExactSum::kLimit, 0x1p30)));
    CHECK_FALSE(ExactSum::fits(0x1p45));
    CHECK(ExactSum::fits(std::numeric_limits<double>::infinity()));
    CHECK(ExactSum::fits(std::numeric_limits<double>::quiet_NaN()));
  }

  TEST_CASE("has the same bits for every order of tiny terms") {
    std::mt19937 random(9);
    for (int round = 0; round < 100; ++round) {
      std::vector<double> terms = draw_numbers(random, ExactSum::kMaxTerms);
      for (double& term : terms) term *= 0x1p-92;
      const double expected = sum_of(terms);

      std::shuffle(terms.begin(), terms.end(), random);

      CHECK(sum_of(terms) == expected);
    }
  }

  TEST_CASE("has the same bits for every order of as many terms as may be") {
    std::mt19937 random(8);
    for (int round = 0; round < 100; ++round) {
      std::vector<double> terms = draw_numbers(random, ExactSum::kMaxTerms);
      const double expected = sum_of(terms);

      std::shuffle(terms.begin(), terms.end(), random);

      CHECK(sum_of(terms) == expected);
    }
  }

  TEST_CASE("adds its own sums, as ranks do, to the same bits") {
    std::mt19937 random(9);
    const std::vector<double> terms = draw_numbers(random, 12);
    for (std::size_t cut = 0; cut <= terms.size(); ++cut) {
      ExactSum left(1);
      ExactSum right(1);
      for (std::size_t i = 0; i < terms.size(); ++i) {
        (i < cut ? left : right).add(0, &terms[i], 1);
      }

      for (std::size_t i = 0; i < 3; ++i)
        left.numbers()[i] += right.numbers()[i];
      double sum = 0.0;
      left.read(0, &sum, 1);

      CHECK(sum == sum_of(terms));
    }
  }

  TEST_CASE("tells where a number does not fit and takes it at another scale") {
    const double large = 1e30;
    ExactSum sum(1);

    CHECK(sum.add(0, &large, 1) > ExactSum::kLimit);

    sum.clear(ExactSum::kGrowth * ExactSum::kGrowth);
    CHECK(sum.add(0, &large, 1) <= ExactSum::kLimit);
    double result = 0.0;
    sum.read(0, &result, 1);
    CHECK(result == large);
  }

  TEST_CASE("grows the scale until the numbers of all ranks fit") {
    const double large = 1e40;
    Identity alone;
    ExactSum sum(1, 1);
    int num_tries = 0;

    sum_over_ranks(alone, sum, [&] {
      ++num_tries;
      return sum.add(0, &large, 1);
    });
    double result = 0.0;
    sum.read(0, &result, 1);

    CHECK(result == large);
    CHECK(num_tries == 4);
  }

  TEST_CASE("keeps NaN and turns infinity to NaN") {
    using Limits = std::numeric_limits<double>;

    CHECK(std::isnan(sum_of({1.0, Limits::quiet_NaN()})));
    CHECK(std::isnan(sum_of({1.0, Limits::infinity()})));
  }

  TEST_CASE("carries plain numbers behind its parts") {
    ExactSum sum(2, 1);
    sum.plain()[0] = 7.0;

    CHECK(sum.numbers().size() == 7);
    CHECK(sum.numbers()[6] == 7.0);
  }

  TEST_CASE("adds to some of the sums and leaves the others") {
    const std::vector<double> numbers{1.0, 2.0};
    ExactSum sum(4);

    sum.add(1, numbers.data(), 2);
    std::vector<double> sums(4);
    sum.read(0, sums.data(), 4);

    CHECK(sums == std::vector<double>{0.0, 1.0, 2.0, 0.0});
  }
}

}  // namespace mlp::distributed
