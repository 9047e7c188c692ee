// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/column_needs.hpp"

#include <doctest/doctest.h>

#include "../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

std::string refusal(const CsvOptions& options) {
  return test::thrown_message<DataError>(
      [&] { check_no_columns(options, "x.npy", "a .npy file"); });
}

}  // namespace

TEST_SUITE("datasets/load/column_needs") {
  TEST_CASE("refuses options that a format without columns cannot meet") {
    CsvOptions header;
    header.header = HeaderRule::kYes;
    CsvOptions weighted;
    weighted.weight = "w";
    CsvOptions encoded;
    encoded.one_hot.is_auto = true;

    CHECK(refusal(header) ==
          "x.npy: a header needs a CSV or TSV file, got a .npy file; leave the "
          "option out");
    CHECK(refusal(weighted) ==
          "x.npy: the weight column 'w' must be one of a CSV or TSV file, got "
          "a .npy file, which cannot store weights; convert it");
    CHECK(refusal(encoded) ==
          "x.npy: columns of categories must be those of a CSV or TSV file, "
          "got a .npy file, which cannot store texts; convert it");
  }

  TEST_CASE("takes defaults that nobody asked for") {
    CsvOptions preset;
    preset.use_preset(false, false, false);

    CHECK(refusal({}).empty());
    CHECK(refusal(preset).empty());
  }
}

}  // namespace mlp::datasets::detail
