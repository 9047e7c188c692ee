// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/device_solvers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "../../../optim/gradient_descent/gradient_descent.hpp"
#include "../../../optim/lbfgs/lbfgs.hpp"
#include "../../optim/test_objectives.hpp"
#include "host_objective.hpp"

namespace mlp::cuda {

namespace {

using optim::testing::Quadratic;

/// A network of 3 weights, the last of which is frozen.
ResidentObjective frozen_resident() {
  ResidentObjective resident{Topology({2, 1}, {}), {}, 0, {}, {}};
  resident.penalty.ranges = {{0, 2, true}};
  resident.penalty.reg_param = 0.5;
  return resident;
}

struct Objective {
  std::shared_ptr<const Stream> stream = std::make_shared<const Stream>();
  Quadratic function{Vector::Ones(3), 0.0};

  std::unique_ptr<DeviceObjective> make() {
    return std::make_unique<testing::HostObjective<Quadratic>>(function, 3,
                                                               *stream);
  }
};

/// Mini-batches that nobody evaluates.
class NoBatches final : public DeviceBatchObjective<float> {
 public:
  [[nodiscard]] bool is_capturable() const override { return true; }
  void add_evaluation(const DeviceBatch&, const float*, float*, double*, float*,
                      const LayerEnqueued&) override {
    throw std::logic_error("evaluated");
  }
};

TEST_SUITE("cuda/solvers/device_solvers") {
  // At (1, 1, 1): 3 / 2 + 0.5 / 2 * 2; then a step of 1 along -(1.5, 1.5, 0).
  TEST_CASE("makes L-BFGS with penalty and frozen weights") {
    Objective objective;
    const auto vectors = make_lbfgs_vectors(frozen_resident(), objective.make(),
                                            objective.stream, 5);
    Vector x = Vector::Ones(3);

    const optim::Summary summary =
        optim::Lbfgs(*vectors, optim::LbfgsOptions{10, 0.0, 5}, {}).minimize(x);

    CHECK(summary.objective_history.front() == doctest::Approx(2.0));
    CHECK(std::abs(x[0]) < 1e-7);
    CHECK(x[2] == 1.0);
  }

  TEST_CASE("makes gradient descent with penalty and frozen weights") {
    Objective objective;
    const auto vectors = make_gradient_descent_vectors(
        frozen_resident(), objective.make(), objective.stream);
    Vector x = Vector::Ones(3);

    optim::GradientDescent(*vectors, optim::GradientDescentOptions{1, 0.0, 0.1},
                           {})
        .minimize(x);

    CHECK(x[0] == doctest::Approx(0.85));
    CHECK(x[2] == 1.0);
  }

  TEST_CASE("makes a training by mini-batches that asks whether to stop") {
    Objective objective;
    ResidentObjective resident = frozen_resident();
    resident.is_stopping = [] { return true; };
    const auto solver =
        make_batch_solver<float>(resident, std::make_unique<NoBatches>(),
                                 objective.stream, optim::SgdOptions{});
    solver->start(Vector::Ones(3), Vector());
    Vector weights;
    Vector statistics;

    CHECK_THROWS_AS(solver->step({}), optim::Interrupted);

    solver->copy_out(weights, statistics);
    CHECK(weights == Vector::Ones(3));
    CHECK(statistics.size() == 0);
  }
}

}  // namespace

}  // namespace mlp::cuda
