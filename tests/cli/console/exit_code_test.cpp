// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/console/exit_code.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace {

template <typename Exception>
mlp::cli::Failure describe(const Exception& exception) {
  return mlp::cli::describe_failure(std::make_exception_ptr(exception));
}

mlp::DivergedError diverged() {
  return {"x",
          {mlp::Model(mlp::Topology({1, 3}), mlp::Vector::Zero(6)), {}, {}}};
}

}  // namespace

TEST_SUITE("cli/console/exit_code") {
  TEST_CASE("maps each kind of error to its number") {
    CHECK(describe(mlp::cli::UsageError("x")).exit_code == 2);
    CHECK(describe(mlp::ParamError("x")).exit_code == 2);
    CHECK(describe(mlp::DataError("x")).exit_code == 3);
    CHECK(describe(mlp::ShapeError("x")).exit_code == 3);
    CHECK(describe(mlp::ModelError("m", "x")).exit_code == 4);
    CHECK(describe(diverged()).exit_code == 5);
    CHECK(describe(mlp::ResourceError("x")).exit_code == 6);
    CHECK(describe(std::bad_alloc()).exit_code == 6);
    CHECK(describe(mlp::DeviceError("x")).exit_code == 7);
    CHECK(describe(mlp::CommunicationError(1, "x")).exit_code == 7);
    CHECK(describe(mlp::NotCompiled("x", "Y")).exit_code == 7);
    CHECK(describe(std::runtime_error("x")).exit_code == 1);
    CHECK(describe(3).exit_code == 1);
  }

  TEST_CASE("lists each code once, in order, with a name and a meaning") {
    std::set<std::string_view> names;
    int last = -1;
    for (const mlp::cli::ExitCodeInfo& info : mlp::cli::kExitCodeTable) {
      CHECK(info.code > last);
      CHECK(names.insert(info.name).second);
      CHECK(info.meaning.back() == '.');
      last = info.code;
    }
    CHECK(last == 143);
    CHECK(mlp::cli::kExitCodeTable.size() == 10);
  }

  TEST_CASE("lists every code that an error ends with") {
    for (const mlp::cli::Failure& failure :
         {describe(mlp::ParamError("x")), describe(mlp::DataError("x")),
          describe(mlp::ModelError("m", "x")), describe(3),
          describe(diverged()), describe(mlp::ResourceError("x")),
          describe(mlp::DeviceError("x"))}) {
      const auto& table = mlp::cli::kExitCodeTable;
      CHECK(std::count_if(table.begin(), table.end(), [&](const auto& info) {
              return info.code == failure.exit_code;
            }) == 1);
    }
  }

  TEST_CASE("keeps the sentence of an error") {
    CHECK(describe(mlp::DataError("a.csv", {2, 7}, "is wrong")).sentence ==
          "a.csv:2:7: is wrong");
  }

  TEST_CASE("says what to do where memory ends") {
    CHECK(describe(std::bad_alloc()).sentence ==
          "there is not enough memory; close other programs or use less data");
  }
}
