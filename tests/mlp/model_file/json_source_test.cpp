// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_source.hpp"

#include <doctest/doctest.h>

#include <string>

using mlp::detail::ModelJsonSource;

namespace {

/// Reads up to num_bytes of what is left.
std::string take(ModelJsonSource& source, std::size_t num_bytes) {
  std::string taken;
  auto at = source.begin();
  while (taken.size() < num_bytes && at != source.end()) {
    taken += *at;
    ++at;
  }
  return taken;
}

}  // namespace

TEST_SUITE("mlp/model_file/json_source") {
  TEST_CASE("gives every byte where nothing is left out") {
    ModelJsonSource source("0123456789");

    CHECK(take(source, 100) == "0123456789");
    CHECK(source.rest() == "");
    CHECK(source.place_of(7) == 7);
  }

  TEST_CASE("leaves a part out and knows the places behind it") {
    ModelJsonSource source("0123456789");

    CHECK(take(source, 3) == "012");
    CHECK(source.rest() == "3456789");
    source.leave_out(2, 4);

    CHECK(take(source, 100) == "34789");
    CHECK(source.place_of(5) == 5);   // behind the 4
    CHECK(source.place_of(6) == 8);   // behind the 7
    CHECK(source.place_of(9) == 11);  // one behind the end
  }

  TEST_CASE("leaves out no byte of an empty part and all up to the end") {
    ModelJsonSource empty("012");
    empty.leave_out(1, 1);
    ModelJsonSource rest("012");
    rest.leave_out(1, 3);

    CHECK(take(empty, 100) == "012");
    CHECK(take(rest, 100) == "0");
  }

  TEST_CASE("moves all copies of an iterator together") {
    ModelJsonSource source("ab");
    auto one = source.begin();
    const auto other = one;

    ++one;

    CHECK(*other == 'b');
  }
}
