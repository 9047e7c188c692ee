// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/sgd.hpp"

#include <doctest/doctest.h>

#include "update_rule_cases.hpp"

namespace mlp::optim {

namespace {

using namespace testing;

constexpr SgdOptions kOptions{0.9, true, 0.1};

/// What run() does, word by word.
Vector run_naively(const SgdOptions& options) {
  Vector w = start();
  Vector v = Vector::Zero(3);
  for (int step = 0; step < 50; ++step) {
    const Vector g = gradient_at(w) + options.weight_decay * w;
    v = options.momentum * v + g;
    w -= 0.01 * (options.is_nesterov ? Vector(g + options.momentum * v) : v);
  }
  return w;
}

/// Two steps of 1 along the gradient 1, from 0.
double after_two_steps(const SgdOptions& options) {
  Sgd<double> sgd(1, options);
  Vector w = Vector::Zero(1);
  for (int step = 0; step < 2; ++step) {
    sgd.begin_step(1.0);
    sgd.update({0, 1}, w, Vector::Ones(1));
  }
  return w[0];
}

}  // namespace

TEST_SUITE("optim/sgd") {
  // The velocities are 1 and 1.5, Nesterov's steps 1 + 0.5 and 1 + 0.75.
  TEST_CASE("keeps velocity and looks ahead with Nesterov's") {
    CHECK(after_two_steps({}) == -2.0);
    CHECK(after_two_steps({0.5, false, 0.0}) == -2.5);
    CHECK(after_two_steps({0.5, true, 0.0}) == -3.25);
  }

  // Recorded from torch 2.15 in float64, torch.optim.SGD with lr 0.01, 50 steps
  // from start() with gradient_at().
  TEST_CASE("agrees with PyTorch over 50 steps") {
    const Eigen::Vector3d plain(0.48650788727879757, 0.009589374081213374,
                                0.42680844229554715);
    const Eigen::Vector3d momentum(-0.3759889353638392, 0.15469408257114897,
                                   -0.03421507147705163);
    const Eigen::Vector3d nesterov(-0.35944600917339814, 0.0299010332490714,
                                   -0.050075504805120935);

    CHECK(distance(run<Sgd>(SgdOptions{}), plain) < kRounding);
    CHECK(distance(run<Sgd>(SgdOptions{0.9, false, 0.0}), momentum) <
          kRounding);
    CHECK(distance(run<Sgd>(SgdOptions{0.9, true, 0.01}), nesterov) <
          kRounding);
  }

  TEST_CASE("agrees with the rule written naively") {
    for (const SgdOptions& options :
         {SgdOptions{}, SgdOptions{0.5, true, 0.0}, SgdOptions{0.0, false, 0.3},
          SgdOptions{0.7, false, 0.1}}) {
      CHECK(distance(run<Sgd>(options), run_naively(options)) < kRounding);
    }
  }

  TEST_CASE("decays where the range says so") {
    Sgd<double> sgd(2, {0.0, false, 0.25});
    Vector w = Vector::Constant(2, 4.0);

    sgd.begin_step(0.5);
    sgd.update({0, 1, true}, w, Vector::Zero(2));
    sgd.update({1, 1, false}, w, Vector::Zero(2));

    CHECK(w == Eigen::Vector2d(4.0 - 0.5 * 0.25 * 4.0, 4.0));
    CHECK(sgd.num_steps() == 1);
  }

  TEST_CASE("makes the same bits however the range is split") {
    check_split_ranges<Sgd>(kOptions);
  }

  TEST_CASE("leaves what lies outside of its ranges as it is") {
    check_outside_of_ranges<Sgd>(kOptions);
  }

  TEST_CASE("goes on in the same bits after its state was restored") {
    check_restored_state<Sgd>(kOptions);
  }

  TEST_CASE("takes over the state of a rule that ran elsewhere") {
    check_taken_state<Sgd>(kOptions, [](auto& other, const auto& first) {
      other.set_state(first.num_steps(), first.velocity());
    });
  }

  TEST_CASE("refuses the state of another size or number type") {
    check_refused_states<Sgd>(kOptions);
  }

  TEST_CASE("refuses a state without the velocity that it needs") {
    ByteWriter writer;
    Sgd<double>(4, {}).save(writer);
    ByteReader reader(writer.bytes(), "run.state");
    Sgd<double> sgd(4, {0.9, false, 0.0});

    CHECK_THROWS_WITH_AS(
        sgd.restore(reader),
        "run.state: momentum must be 0 in both runs or in none; got 0 in one; "
        "resume with the momentum of the run that wrote the state",
        ModelError);
  }
}

}  // namespace mlp::optim
