// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/spark_random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace mlp {

namespace {

// A compiler that may use FMA rounds a sum of products once.
constexpr double kRounding = 1e-14;

/// A stream as Spark draws it: its first state and first five numbers.
struct KnownStream {
  std::int64_t seed;
  std::int64_t state;
  std::array<double, 5> numbers;
};

constexpr std::array<KnownStream, 6> kSpark3Streams{{
    {1234,
     -6809069146714212546,
     {0.7151043443924859, 0.833439862021827, 0.20939665324719448,
      0.23524409495821386, 0.8935407464423308}},
    {11,
     2386798089342829865,
     {0.03422639313807285, 0.11682250456449328, 0.3252227809451943,
      0.4358851046481089, 0.27831507107951303}},
    {123,
     -1411299517507259264,
     {0.15795279750951363, 0.648787283930924, 0.9529333503403405,
      0.3108354124889471, 0.18236488937717799}},
    {1,
     -202554933444998644,
     {0.6363787615254752, 0.5993846534021868, 0.134842710012538,
      0.07684163905460906, 0.8539211111755448}},
    {0,
     -9171266021732529057,
     {0.7604953758285915, 0.5234194256885571, 0.0953472826424725,
      0.3163249920547614, 0.7141011170991605}},
    {-763139545,
     7184547063580805860,
     {0.2770646555826739, 0.061759713863959176, 0.5883190740862797,
      0.12500409155572578, 0.41739356785305737}},
}};

constexpr std::array<KnownStream, 5> kSpark2Streams{{
    {1234,
     2903538213819205063,
     {0.9499610869333489, 0.8143991792483262, 0.8810587629684778,
      0.41491843322235866, 0.32678177199153413}},
    {11,
     -8376904990600388191,
     {0.1982919638208397, 0.12714181165849525, 0.7604318153406678,
      0.83487085888236, 0.3142596916968412}},
    {123,
     6011215509696050318,
     {0.5029534413816527, 0.9867496419260051, 0.8209632961670508,
      0.839067819363327, 0.3737326850860542}},
    {1,
     -1498111745827213969,
     {0.13385709732307427, 0.5897562959687032, 0.01540012100242305,
      0.22569943461197162, 0.9207602095112212}},
    {0,
     4790425454436209838,
     {0.8446490682263027, 0.4048454303385226, 0.5871875724155838,
      0.8865128837019473, 0.742083829230211}},
}};

void check_stream(const KnownStream& known, SeedHash era) {
  CAPTURE(known.seed);
  SparkRandom random(known.seed, era);
  CHECK(random.state() == known.state);
  for (const double number : known.numbers) {
    CHECK(random.next_double() == number);
  }
}

}  // namespace

TEST_SUITE("core/spark_random") {
  TEST_CASE("draws the numbers of Spark 3 and later to the last bit") {
    for (const KnownStream& known : kSpark3Streams) {
      check_stream(known, SeedHash::kSpark3);
    }
  }

  TEST_CASE("draws the numbers of Spark 2 to the last bit") {
    for (const KnownStream& known : kSpark2Streams) {
      check_stream(known, SeedHash::kSpark2);
    }
  }

  TEST_CASE("hashes as Spark 3 does unless told otherwise") {
    CHECK(SparkRandom(123).state() ==
          SparkRandom(123, SeedHash::kSpark3).state());
    CHECK(SparkRandom(123).state() !=
          SparkRandom(123, SeedHash::kSpark2).state());
  }

  TEST_CASE("repeats a stream from its seed") {
    SparkRandom first(42);
    SparkRandom second(42);

    for (int i = 0; i < 100; ++i) {
      CHECK(first.next_double() == second.next_double());
    }
  }

  TEST_CASE("tells all 64 bits of a seed apart") {
    std::set<std::int64_t> states{SparkRandom(0).state()};
    for (unsigned bit = 0; bit < 64; ++bit) {
      const auto seed = static_cast<std::int64_t>(std::uint64_t{1} << bit);
      states.insert(SparkRandom(seed).state());
    }
    states.insert(SparkRandom(-1).state());

    CHECK(states.size() == 66);
  }

  // The mean of 10,000 uniform numbers has a standard deviation of 0.0029.
  TEST_CASE("stays in the unit interval and fills it evenly") {
    constexpr int kNumDraws = 10000;
    constexpr double kMeanTolerance = 0.02;
    SparkRandom random(std::numeric_limits<std::int64_t>::min());

    double sum = 0.0;
    bool is_inside = true;
    for (int i = 0; i < kNumDraws; ++i) {
      const double u = random.next_double();
      is_inside = is_inside && u >= 0.0 && u < 1.0;
      sum += u;
    }

    CHECK(is_inside);
    CHECK(sum / kNumDraws == doctest::Approx(0.5).epsilon(kMeanTolerance));
  }

  // The uniform numbers 0.715.. and 0.833.. of seed 1234 give x = 0.43020868..
  // and y = 0.66687972..; x x + y y < 1, so that they are the first pair.
  TEST_CASE("makes a pair of normal numbers from two uniform ones") {
    const double x = 2.0 * 0.7151043443924859 - 1.0;
    const double y = 2.0 * 0.833439862021827 - 1.0;
    const double square = x * x + y * y;
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    SparkRandom random(1234);

    CHECK(std::abs(random.next_gaussian() - x * factor) < kRounding);
    CHECK(std::abs(random.next_gaussian() - y * factor) < kRounding);
    // Neither of the two consumed more of the stream.
    CHECK(random.next_double() == 0.20939665324719448);
  }

  // Seed 11 starts with 0.034 and 0.117, which give (-0.93, -0.77), outside of the
  // circle, then 0.325 and 0.436, which give (-0.35, -0.13), inside.
  TEST_CASE("draws again where a pair lies outside of the unit circle") {
    const double x = 2.0 * 0.3252227809451943 - 1.0;
    const double y = 2.0 * 0.4358851046481089 - 1.0;
    const double square = x * x + y * y;
    SparkRandom random(11);

    const double number = random.next_gaussian();

    CHECK(std::abs(number - x * std::sqrt(-2.0 * std::log(square) / square)) <
          kRounding);
    random.next_gaussian();
    CHECK(random.next_double() == 0.27831507107951303);
  }

  // The means of z, z z, z z z and z z z z over 10,000 normal numbers are 0, 1,
  // 0 and 3, with deviations of sqrt(1, 2, 15, 96) / 100; six of them.
  TEST_CASE("has the moments of the normal distribution") {
    constexpr int kNumDraws = 10000;
    SparkRandom random(-763139545);

    std::array<double, 4> moments{};
    for (int i = 0; i < kNumDraws; ++i) {
      const double z = random.next_gaussian();
      double power = 1.0;
      for (double& moment : moments) moment += (power *= z) / kNumDraws;
    }

    constexpr std::array<double, 4> kExpected{0.0, 1.0, 0.0, 3.0};
    constexpr std::array<double, 4> kTolerances{0.06, 0.085, 0.24, 0.6};
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(i);
      CHECK(std::abs(moments[i] - kExpected[i]) < kTolerances[i]);
    }
  }

  // The mean of the products of two independent normal numbers has a deviation
  // of 1 / sqrt(5000) = 0.014; six of them.
  TEST_CASE("makes the two numbers of a pair independent") {
    constexpr int kNumPairs = 5000;
    constexpr double kProductTolerance = 0.085;
    SparkRandom random(3);

    double sum = 0.0;
    for (int i = 0; i < kNumPairs; ++i) {
      const double first = random.next_gaussian();
      sum += first * random.next_gaussian();
    }

    CHECK(std::abs(sum / kNumPairs) < kProductTolerance);
  }
}

}  // namespace mlp
