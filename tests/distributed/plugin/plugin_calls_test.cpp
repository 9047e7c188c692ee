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
    PluginFailure failure{PluginCause::kParam, 8, "old"};
    bool is_called = false;

    CHECK(run_plugin_call(&failure, [&] { is_called = true; }) == 0);
    CHECK(is_called);
    CHECK(failure.cause == PluginCause::kParam);
    CHECK(failure.rank == 8);
    CHECK(std::string(failure.sentence) == "old");
  }

  TEST_CASE("keeps the rank to blame apart from the sentence") {
    const PluginFailure blamed = failure_of(CommunicationError(3, "is gone"));
    const PluginFailure nobody = failure_of(CommunicationError("all is lost"));

    CHECK(blamed.cause == PluginCause::kConnection);
    CHECK(blamed.rank == 3);
    CHECK(std::string(blamed.sentence) == "is gone");
    CHECK(nobody.rank == -1);
    CHECK(std::string(nobody.sentence) == "all is lost");
  }

  TEST_CASE("tells a wrong argument from what else went wrong") {
    const PluginFailure param = failure_of(ParamError("must be a number"));
    const PluginFailure memory = failure_of(std::bad_alloc());

    CHECK(param.cause == PluginCause::kParam);
    CHECK(param.rank == -1);
    CHECK(std::string(param.sentence) == "must be a number");
    CHECK(failure_of(RendezvousError()).cause == PluginCause::kRendezvous);
    CHECK(memory.cause == PluginCause::kConnection);
    CHECK(std::string(memory.sentence) == std::bad_alloc().what());
  }

  TEST_CASE("lets no exception of another type cross the interface") {
    PluginFailure failure{};

    CHECK(run_plugin_call(&failure, [] { throw 7; }) == 1);
    CHECK(std::string(failure.sentence) == "an unknown exception");
  }
}

}  // namespace mlp::distributed
