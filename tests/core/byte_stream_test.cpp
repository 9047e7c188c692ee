// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/byte_stream.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlp {

namespace {

using FloatVector = Eigen::VectorXf;

/// The sentence of the ModelError that reading throws; "" where it does not.
std::string refusal(std::string_view bytes,
                    const std::function<void(ByteReader&)>& read) {
  ByteReader reader(bytes, "run.state");
  try {
    read(reader);
  } catch (const ModelError& error) {
    CHECK(error.file() == "run.state");
    return error.what();
  }
  return "";
}

/// The bits of numbers that compare badly: NaN with a payload, both zeros, the
/// infinities, a subnormal.
std::vector<double> odd_numbers() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {std::bit_cast<double>(std::uint64_t{0xFFF8000000001234}),
          std::bit_cast<double>(std::uint64_t{0x7FF0000000000001}),
          0.0,
          -0.0,
          kInfinity,
          -kInfinity,
          std::numeric_limits<double>::denorm_min()};
}

}  // namespace

TEST_SUITE("core/byte_stream") {
  TEST_CASE("writes numbers from the lowest byte to the highest") {
    ByteWriter writer;

    writer.write(std::uint8_t{0xAB});
    writer.write(std::int64_t{-2});
    writer.write(std::uint64_t{0x0102});
    writer.write(1.0);
    writer.write(-2.0f);
    writer.write_flag(true);

    using std::string_literals::operator""s;
    CHECK(writer.bytes() ==
          "\xAB"
          "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
          "\x02\x01\0\0\0\0\0\0"
          "\0\0\0\0\0\0\xF0\x3F"
          "\0\0\0\xC0"
          "\x01"s);
  }

  TEST_CASE("starts texts and vectors with their counts") {
    ByteWriter writer;

    writer.write_text("ab");
    writer.write_vector(FloatVector::Constant(1, 1.0f).eval());

    using std::string_literals::operator""s;
    CHECK(writer.bytes() ==
          "\x02\0\0\0\0\0\0\0ab\x01\0\0\0\0\0\0\0\0\0\x80\x3F"s);
  }

  TEST_CASE("reads back what was written in the same order") {
    ByteWriter writer;
    writer.write(std::uint8_t{200});
    writer.write(std::numeric_limits<std::int64_t>::min());
    writer.write(Index{7});
    writer.write_text("caf\xC3\xA9");
    writer.write_flag(false);
    writer.write_vector(Vector::LinSpaced(3, 1.0, 3.0).eval());
    writer.write_vector(FloatVector(FloatVector::Zero(2)));
    writer.write_vector(std::vector<double>{});
    ByteReader reader(writer.bytes(), "run.state");

    CHECK(reader.read<std::uint8_t>() == 200);
    CHECK(reader.read<std::int64_t>() ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(reader.read<Index>() == 7);
    CHECK(reader.read_text() == "caf\xC3\xA9");
    CHECK_FALSE(reader.read_flag());
    CHECK(reader.read_vector<Vector>() == Vector::LinSpaced(3, 1.0, 3.0));
    CHECK(reader.read_vector<FloatVector>() == FloatVector::Zero(2));
    CHECK(reader.read_vector<std::vector<double>>().empty());
    CHECK_NOTHROW(reader.require_end());
  }

  TEST_CASE("keeps every bit of numbers that compare badly") {
    const std::vector<double> numbers = odd_numbers();
    ByteWriter writer;
    writer.write_vector(numbers);
    for (const double number : numbers) writer.write(number);
    ByteReader reader(writer.bytes(), "run.state");

    const auto vector = reader.read_vector<std::vector<double>>();

    REQUIRE(vector.size() == numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(numbers[i]);
      CHECK(std::bit_cast<std::uint64_t>(vector[i]) == bits);
      CHECK(std::bit_cast<std::uint64_t>(reader.read<double>()) == bits);
    }
  }

  TEST_CASE("hands its bytes over") {
    ByteWriter writer;
    writer.write_text("state");

    const std::string bytes = std::move(writer).bytes();

    CHECK(bytes.size() == 8 + 5);
  }
}

TEST_SUITE("core/byte_stream refusals") {
  TEST_CASE("says where a number ends early") {
    const auto read = [](ByteReader& reader) {
      CHECK(reader.read<std::uint8_t>() == 'a');
      static_cast<void>(reader.read<double>());
    };

    CHECK(refusal("abcd", read) ==
          "run.state: the state ends early; expected 8 bytes at byte 1, got 3");
  }

  TEST_CASE("refuses a count beyond the end before it takes memory") {
    ByteWriter writer;
    writer.write(std::numeric_limits<std::uint64_t>::max());
    writer.write(1.0);

    CHECK(refusal(writer.bytes(),
                  [](ByteReader& reader) {
                    static_cast<void>(reader.read_vector<Vector>());
                  }) ==
          "run.state: the state ends early; expected 18446744073709551615 "
          "times 8 bytes at byte 8, got 8");
    CHECK(refusal(writer.bytes(),
                  [](ByteReader& reader) {
                    static_cast<void>(reader.read_text());
                  }) ==
          "run.state: the state ends early; expected 18446744073709551615 "
          "times 1 bytes at byte 8, got 8");
  }

  TEST_CASE("refuses a count whose bytes overflow to a small number") {
    for (const std::uint64_t count :
         {std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 1,
          std::uint64_t{1} << 62, (std::uint64_t{1} << 63) + 1}) {
      ByteWriter writer;
      writer.write(count);
      writer.write(1.0);
      writer.write(2.0);

      CHECK(refusal(writer.bytes(),
                    [](ByteReader& reader) {
                      static_cast<void>(reader.read_vector<Vector>());
                    }) == "run.state: the state ends early; expected " +
                              std::to_string(count) +
                              " times 8 bytes at byte 8, got 16");
    }
  }

  TEST_CASE("refuses a flag that is neither 0 nor 1") {
    CHECK(refusal("\x02", [](ByteReader& reader) {
            static_cast<void>(reader.read_flag());
          }) == "run.state: a flag must be 0 or 1; got 2 at byte 0");
  }

  TEST_CASE("refuses bytes after the end") {
    CHECK(refusal("abc", [](ByteReader& reader) {
            static_cast<void>(reader.read<std::uint8_t>());
            reader.require_end();
          }) == "run.state: the state must end at byte 1; got 2 bytes more");
  }

  TEST_CASE("names both numbers where another one was expected") {
    ByteWriter writer;
    writer.write(std::int64_t{12});

    const auto expect = [&](Index number) {
      return refusal(writer.bytes(), [=](ByteReader& reader) {
        reader.require_equal(number, "the number of weights");
      });
    };

    CHECK(expect(12).empty());
    CHECK(expect(13) ==
          "run.state: the number of weights must be 13 as in this run; got 12 "
          "in the state; resume the run that wrote it");
  }

  TEST_CASE("names the interval and the count that is outside") {
    ByteWriter writer;
    writer.write(std::int64_t{-1});
    const auto expect = [&](Index min, Index max) {
      return refusal(writer.bytes(), [=](ByteReader& reader) {
        static_cast<void>(reader.read_count("the number of steps", min, max));
      });
    };

    CHECK(expect(-1, 5).empty());
    CHECK(
        expect(0, 5) ==
        "run.state: the number of steps must be 0 to 5 as in this run; got -1 "
        "in the state; resume the run that wrote it");
    CHECK(expect(7, 7) ==
          "run.state: the number of steps must be 7 as in this run; got -1 "
          "in the state; resume the run that wrote it");
  }

  TEST_CASE("names both sizes where a vector of another size was expected") {
    ByteWriter writer;
    writer.write_vector(std::vector<double>{1.0, 2.0});
    const auto expect = [&](Index size) {
      return refusal(writer.bytes(), [=](ByteReader& reader) {
        static_cast<void>(
            reader.read_vector<Vector>(size, "the number of weights"));
      });
    };

    CHECK(expect(2).empty());
    CHECK(expect(3) ==
          "run.state: the number of weights must be 3 as in this run; got 2 "
          "in the state; resume the run that wrote it");
  }

  TEST_CASE("names both texts where another one was expected") {
    ByteWriter writer;
    writer.write_text("adam\x1B" + std::string(100, 'x'));

    const auto read = [](ByteReader& reader) {
      reader.require_text("sgd", "the solver");
    };

    CHECK(refusal(writer.bytes(), read) ==
          "run.state: the solver must be sgd as in this run; got adam?" +
              std::string(35, 'x') +
              " in the state; resume the run that wrote it");
  }
}

}  // namespace mlp
