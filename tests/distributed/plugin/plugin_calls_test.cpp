// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/plugin/plugin_calls.hpp"

#include <doctest/doctest.h>

#include <new>
#include <string>

namespace mlp::distributed {

namespace {

/// The failure of a call that throws an error.
template <class Error>
PluginFailure failure_of(const Error& error) {
  PluginFailure failure{};
  REQUIRE(run_plugin_call(&failure, [&] { throw error; }) == 1);
  return failure;
}

}  // namespace

TEST_SUITE("distributed/plugin/plugin_calls") {
  TEST_CASE("returns 0 and leaves the failure alone where nothing is thrown") {
    PluginFailure failure{7, 8, "old"};
    bool is_called = false;

    CHECK(run_plugin_call(&failure, [&] { is_called = true; }) == 0);
    CHECK(is_called);
    CHECK(failure.is_bad_param == 7);
    CHECK(std::string(failure.sentence) == "old");
  }

  TEST_CASE("keeps the rank to blame apart from the sentence") {
    const PluginFailure blamed = failure_of(CommunicationError(3, "is gone"));
    const PluginFailure nobody = failure_of(CommunicationError("all is lost"));

    CHECK(blamed.is_bad_param == 0);
    CHECK(blamed.rank == 3);
    CHECK(std::string(blamed.sentence) == "is gone");
    CHECK(nobody.rank == -1);
    CHECK(std::string(nobody.sentence) == "all is lost");
  }

  TEST_CASE("tells a wrong argument from what else went wrong") {
    const PluginFailure param = failure_of(ParamError("must be a number"));
    const PluginFailure memory = failure_of(std::bad_alloc());

    CHECK(param.is_bad_param == 1);
    CHECK(param.rank == -1);
    CHECK(std::string(param.sentence) == "must be a number");
    CHECK(memory.is_bad_param == 0);
    CHECK(std::string(memory.sentence) == std::bad_alloc().what());
  }
}

}  // namespace mlp::distributed
