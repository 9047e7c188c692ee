// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/number_advice.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::datasets::detail {

TEST_SUITE("datasets/csv/number_advice") {
  TEST_CASE("says how to write or to read a number with commas") {
    const CsvDialect semicolons{';', '.', {}};
    const CsvDialect commas;
    const std::string point = "; decimals are separated by a point: write ";
    const std::string choose = ", or choose the comma as the decimal separator";
    const std::string plain = "; thousands are not separated: write ";

    CHECK(number_advice("3,14", semicolons) == point + "3.14" + choose);
    CHECK(number_advice("1,234", semicolons) ==
          plain + "1234" + point + "1.234" + choose);
    CHECK(number_advice("1,234", commas) == plain + "1234");
    CHECK(number_advice("1,234,567", semicolons) == plain + "1234567");
    CHECK(number_advice("abc", commas).empty());
    CHECK(number_advice("3,14", commas, true) == point + "3.14");
  }

  TEST_CASE("says that categories are numbers with signs") {
    CHECK(describe_signs({"10%", "12.5%"}) ==
          "has numbers with a sign, which are categories, such as '10%'; if "
          "they are numbers, write 10");
    CHECK(describe_signs({"10%", "none"}).empty());
    CHECK(describe_signs({"blue"}).empty());
  }

  TEST_CASE("names the number beside a sign") {
    CHECK(without_sign("$680.00") == "680.00");
    CHECK(without_sign("12 \u20AC") == "12");
    CHECK(without_sign("50%") == "50");
    CHECK(without_sign("5.0").empty());
    CHECK(number_advice("$680.00", {}) == "; write 680.00");
    CHECK(number_advice("$1,680.00", {}) ==
          "; leave the sign out; thousands are not separated: write 1680.00");
  }

  TEST_CASE("knows dates in digits") {
    for (const char* text : {"2024-01-31", "31.01.2024", "1/31/24",
                             "2024/1/3 10:00", "2024-01-31T10:00:00Z"}) {
      CHECK_MESSAGE(is_date(text), text);
    }
    for (const char* text : {"1.2.3", "2024-01", "10-20", "a-b-c", "1.2.3.4",
                             "192.168.1", "555-123-4567"}) {
      CHECK_FALSE_MESSAGE(is_date(text), text);
    }
    CHECK(number_advice("2024-01-31", {}).find("a date is no number") == 2);
  }

  TEST_CASE("explains a point where commas separate decimals") {
    for (const char* text : {"1.234", "1.683,56", "1,200.50"}) {
      CHECK_MESSAGE(number_advice(text, {';', ',', {}})
                            .find("write the number without a point") !=
                        std::string::npos,
                    text);
    }
  }
}

}  // namespace mlp::datasets::detail
