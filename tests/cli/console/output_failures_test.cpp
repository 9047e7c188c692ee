// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/console/output_failures.hpp"

#include <doctest/doctest.h>

#include "../../../core/error.hpp"

using mlp::cli::OutputFailures;

TEST_SUITE("cli/console/output_failures") {
  TEST_CASE("goes on after a failure and throws the first at the end") {
    OutputFailures failures;
    int num_written = 0;

    const bool is_first_written = failures.attempt([] {
      throw mlp::ResourceError("m.json", "cannot be written: No space left");
    });
    const bool is_second_written = failures.attempt([&] { ++num_written; });
    failures.attempt([] { throw mlp::CommunicationError(1, "is lost"); });

    CHECK_FALSE(is_first_written);
    CHECK(is_second_written);
    CHECK(num_written == 1);
    CHECK_THROWS_WITH_AS(failures.rethrow_first(),
                         "m.json: cannot be written: No space left",
                         mlp::ResourceError);
  }

  TEST_CASE("throws nothing if all outputs were written") {
    OutputFailures failures;

    failures.attempt([] {});

    CHECK_NOTHROW(failures.rethrow_first());
  }
}
