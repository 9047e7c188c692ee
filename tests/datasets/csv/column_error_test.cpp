// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/column_error.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../../../datasets/csv/column_survey.hpp"

using mlp::FilePosition;
using mlp::datasets::ColumnError;
using mlp::datasets::CsvSurvey;

TEST_SUITE("datasets/csv/column_error") {
  TEST_CASE("keeps the column, the position and the survey with more advice") {
    ColumnError error("f.csv", FilePosition{2, 3}, 1, "got 'x'");
    CHECK(error.survey() == nullptr);
    error.set_survey(std::make_shared<const CsvSurvey>());

    const ColumnError advised = error.with_advice("; leave it out");

    CHECK(std::string(advised.what()) == "f.csv:2:3: got 'x'; leave it out");
    CHECK(advised.column() == 1);
    CHECK(advised.position().line == 2);
    CHECK(advised.survey() == error.survey());
  }
}
