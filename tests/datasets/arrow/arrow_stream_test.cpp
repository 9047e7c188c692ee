// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_stream.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets {

namespace {

test::ArrowTable numbers(const std::vector<std::optional<double>>& values) {
  return {test::ArrowColumn::doubles("x", values)};
}

/// A structure that counts its releases.
struct Counted {
  void (*release)(Counted*) = nullptr;
  int* count = nullptr;
};

}  // namespace

TEST_SUITE("datasets/arrow/arrow_stream") {
  TEST_CASE("gives the batches that have rows") {
    test::ArrowBatches batches(
        {numbers({}), numbers({1.0, 2.0}), numbers({}), numbers({3.0})});
    ArrowArrayStream lent = batches.stream();
    ArrowStream stream(lent, "table");

    CHECK((lent.release == nullptr));
    CHECK(stream.num_columns() == 1);
    CHECK(stream.column_name(0) == "x");
    REQUIRE(stream.next() != nullptr);
    REQUIRE(stream.next() != nullptr);
    CHECK(stream.next() == nullptr);
  }

  TEST_CASE("a look at the next rows does not skip them") {
    test::ArrowBatches batches({numbers({1.0, 2.0}), numbers({3.0})});
    ArrowArrayStream lent = batches.stream();
    ArrowStream stream(lent, "table");

    CHECK(stream.peek()->length == 2);
    CHECK(stream.peek()->length == 2);
    CHECK(stream.next()->length == 2);
    CHECK(stream.next()->length == 1);
    CHECK(stream.peek() == nullptr);
    CHECK(stream.next() == nullptr);
  }

  TEST_CASE("passes on why rows cannot be read") {
    test::ArrowBatches batches({numbers({1.0})}, "the disk is gone");
    ArrowArrayStream lent = batches.stream();
    ArrowStream stream(lent, "table");

    REQUIRE(stream.next() != nullptr);
    CHECK_THROWS_WITH_AS(static_cast<void>(stream.next()),
                         "table: cannot be read: the disk is gone", DataError);
  }

  TEST_CASE("refuses a batch with another number of columns") {
    const auto column = test::ArrowColumn::doubles("x", {1.0});
    test::ArrowBatches batches({{column, column}, {column}});
    ArrowArrayStream lent = batches.stream();
    ArrowStream stream(lent, "table");

    REQUIRE(stream.next() != nullptr);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(stream.next()),
        "table: all batches must have 2 columns, as the stream says; got 1",
        DataError);
  }

  TEST_CASE("refuses a stream that was released, and one without columns") {
    ArrowArrayStream released{};
    CHECK_THROWS_WITH_AS(ArrowStream(released, "table"),
                         "table: expected an Arrow stream, got a released one",
                         DataError);

    test::ArrowBatches batches({numbers({1.0})});
    ArrowArrayStream single = batches.stream();
    single.get_schema = [](ArrowArrayStream*, ArrowSchema* schema) {
      static test::ArrowColumn column("x", "g");
      *schema = *column.schema();
      return 0;
    };
    CHECK_THROWS_WITH_AS(ArrowStream(single, "table"),
                         "table: expected a table with columns, got an Arrow "
                         "stream of single values",
                         DataError);
  }

  TEST_CASE("an owner releases what it has once") {
    int count = 0;
    Counted lent{[](Counted* from) {
                   ++*from->count;
                   from->release = nullptr;
                 },
                 &count};
    {
      detail::ArrowOwner<Counted> first(lent);
      detail::ArrowOwner<Counted> second(std::move(first));
      detail::ArrowOwner<Counted> third;
      third = std::move(second);
      CHECK(third.has_value());
      CHECK_FALSE(second.has_value());
      CHECK(count == 0);
    }
    CHECK(count == 1);
  }
}

}  // namespace mlp::datasets
