// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "../../cuda_host/execution_settings.hpp"
#include "../fused/fused_problem.hpp"

namespace {

using mlp::Topology;
using mlp::cuda_host::execution_settings;
using namespace mlp::testing;

/// Restores the settings of the imitated device.
class SettingsGuard {
 public:
  SettingsGuard() : before_(execution_settings()) {}
  SettingsGuard(const SettingsGuard&) = delete;
  SettingsGuard& operator=(const SettingsGuard&) = delete;
  ~SettingsGuard() { execution_settings() = before_; }

 private:
  mlp::cuda_host::ExecutionSettings before_;
};

/// Three layers, the second with an activation whose derivative needs z; slices
/// of three tiles, the last of which is short.
FusedProblem three_layers() {
  const auto swish = *mlp::Activation::find("swish");
  return make_fused_problem(Topology({6, 9, 7, 3}, mlp::Loss::kSoftmaxNll,
                                     {{}, {swish, false, false, 0.0}}),
                            107, 4);
}

TEST_SUITE("cuda/host_only/fused_orders") {
  TEST_CASE_TEMPLATE("gives the same bits for 20 orders of blocks and threads",
                     Number, double, float) {
    const SettingsGuard guard;
    const FusedProblem problem = three_layers();
    const auto plan = plan_tiles(problem.topology, 107, 16, 3);
    const FusedResult expected = evaluate_on_chip<Number>(problem, plan);

    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      execution_settings().order_seed = seed;
      CHECK(evaluate_on_chip<Number>(problem, plan) == expected);
    }
  }

  // The sum of the losses takes the place of the first numbers in shared memory,
  // which here are those of the gradient.
  TEST_CASE_TEMPLATE("gives the same bits for 20 orders with few numbers",
                     Number, double, float) {
    const SettingsGuard guard;
    const FusedProblem problem = make_fused_problem(Topology({1, 3, 2}), 9, 4);
    const auto plan = plan_tiles(problem.topology, 9, 2, 2);
    const FusedResult expected = evaluate_on_chip<Number>(problem, plan);

    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      execution_settings().order_seed = seed;
      CHECK(evaluate_on_chip<Number>(problem, plan) == expected);
    }
  }

  TEST_CASE_TEMPLATE("reads no memory that nobody wrote", Number, double,
                     float) {
    const SettingsGuard guard;
    const FusedProblem problem = three_layers();
    const auto plan = plan_tiles(problem.topology, 107, 16, 3);
    const FusedResult expected = evaluate_on_chip<Number>(problem, plan);

    for (const std::uint8_t fill :
         std::vector<std::uint8_t>{0x00, 0x41, 0xff}) {
      execution_settings().fill = fill;
      CHECK(evaluate_on_chip<Number>(problem, plan) == expected);
    }
  }
}

}  // namespace
