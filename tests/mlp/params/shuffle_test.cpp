// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/shuffle.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../../mlp/network/topology.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/params/param_table.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

TEST_SUITE("mlp/params/shuffle") {
  TEST_CASE("is read and written by its name") {
    Params params;
    const ParamInfo& info = *find_param("shuffle");
    for (const auto& [shuffle, name] : kShuffleNames) {
      set_param(params, info, name);

      CHECK(params.shuffle == shuffle);
      CHECK(info.format(params) == '"' + std::string(name) + '"');
      CHECK(is_written(info, params) == (shuffle != Shuffle::kAuto));
    }
    CHECK(test::thrown_message<ParamError>([&] {
            set_param(params, info, "blocks");
          }).find("shuffle must be auto, rows or slabs; got 'blocks'") == 0);
  }

  TEST_CASE("needs mini-batches that are shuffled") {
    Params params;
    params.layers = {4, 3};
    params.shuffle = Shuffle::kSlabs;
    const auto refusal = [&] {
      return test::thrown_message<ParamError>([&] { validate(params); });
    };

    CHECK(refusal().find("shuffle must be auto") == 0);
    params.solver = Solver::kAdam;
    CHECK_NOTHROW(validate(params));
    params.in_order = true;
    CHECK(refusal().find("shuffle must be auto") == 0);
  }
}

}  // namespace mlp
