// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/column_survey.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../datasets/csv/column_error.hpp"
#include "../../../datasets/csv/csv.hpp"

namespace mlp::datasets {

namespace {

/// Returns what an error says about the columns.
CsvSurvey survey_of(const std::string& text) {
  try {
    static_cast<void>(read_csv(text, "f.csv"));
  } catch (const ColumnError& error) {
    return *error.survey();
  }
  return {};
}

}  // namespace

TEST_SUITE("datasets/csv/column_survey") {
  TEST_CASE("counts numbers, texts and missing values of each column") {
    const CsvSurvey survey = survey_of(
        "id,color,size,kind\n1,red,NA,a\n2,blue,\"1,234.5\",b\n"
        "3,red,x,a\n");

    REQUIRE(survey.columns.size() == 4);
    CHECK(survey.has_header);
    CHECK(survey.num_rows == 3);
    CHECK_FALSE(survey.has_more_rows);
    CHECK(survey.columns[0].num_numbers == 3);
    CHECK(survey.columns[1].name == "color");
    CHECK(survey.columns[1].num_texts == 3);
    CHECK(survey.columns[1].values.size() == 2);
    CHECK(survey.columns[2].num_missing == 1);
    CHECK(survey.columns[2].num_with_commas == 1);
    CHECK(survey.columns[2].num_texts == 1);
    CHECK(survey.columns[3].is_label);
    CHECK_FALSE(survey.columns[3].is_feature);
    REQUIRE(survey.chosen_label.has_value());
    CHECK(survey.chosen_label->is_default);
  }

  TEST_CASE("ends at a wrong row") {
    const CsvSurvey survey = survey_of("a,b\nx,1\n2,3,4\n5,6\n");

    CHECK(survey.num_rows == 1);
  }
}

}  // namespace mlp::datasets
