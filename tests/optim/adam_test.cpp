// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/adam.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "update_rule_cases.hpp"

namespace mlp::optim {

namespace {

using namespace testing;

constexpr AdamOptions kOptions{0.9, 0.999, 1e-8, 0.1};

/// Algorithm 1 and its decoupled decay, word by word.
struct NaiveAdam {
  AdamOptions options;
  Vector m = Vector::Zero(3);
  Vector v = Vector::Zero(3);
  int t = 0;

  void step(double size, const Vector& g, Vector& w) {
    ++t;
    for (Index i = 0; i < w.size(); ++i) {
      w[i] -= size * options.weight_decay * w[i];
      m[i] = options.beta1 * m[i] + (1.0 - options.beta1) * g[i];
      v[i] = options.beta2 * v[i] + (1.0 - options.beta2) * g[i] * g[i];
      const double mean = m[i] / (1.0 - std::pow(options.beta1, t));
      const double square = v[i] / (1.0 - std::pow(options.beta2, t));
      w[i] -= size * mean / (std::sqrt(square) + options.epsilon);
    }
  }
};

Vector run_naively(const AdamOptions& options) {
  NaiveAdam adam{options};
  Vector w = start();
  for (int step = 0; step < 50; ++step) adam.step(0.01, gradient_at(w), w);
  return w;
}

}  // namespace

TEST_SUITE("optim/adam") {
  // m = 0.1 g, v = 0.001 g^2, both unbiased by the first step: g / |g|.
  TEST_CASE("first steps by the step size whatever the gradient is") {
    Adam<double> adam(2, {0.9, 0.999, 1e-300, 0.0});
    Vector w = Vector::Zero(2);

    adam.begin_step(0.5);
    adam.update({0, 2}, w, Eigen::Vector2d(-3.0, 1e-3));

    CHECK(distance(w, Eigen::Vector2d(0.5, -0.5)) < kRounding);
    CHECK(adam.num_steps() == 1);
  }

  // Recorded from torch 2.15 in float64, torch.optim.Adam and AdamW with lr
  // 0.01, 50 steps from start() with gradient_at().
  TEST_CASE("agrees with PyTorch over 50 steps") {
    const Eigen::Vector3d adam(0.5269908020734932, -1.5164077318896338,
                               0.022897170531737385);
    const Eigen::Vector3d adam_w(0.49250506035005154, -1.4339778790264617,
                                 0.011077504065414332);

    CHECK(distance(run<Adam>(AdamOptions{}), adam) < kRounding);
    CHECK(distance(run<Adam>(AdamOptions{0.9, 0.999, 1e-8, 0.1}), adam_w) <
          kRounding);
  }

  TEST_CASE("agrees with the algorithm written naively") {
    for (const AdamOptions& options :
         {AdamOptions{}, AdamOptions{0.5, 0.9, 1e-3, 0.0},
          AdamOptions{0.0, 0.0, 1e-2, 0.3}}) {
      CHECK(distance(run<Adam>(options), run_naively(options)) < kRounding);
    }
  }

  TEST_CASE("decays where the range says so") {
    Adam<double> adam(2, {0.9, 0.999, 1e-8, 0.25});
    Vector w = Vector::Constant(2, 4.0);

    adam.begin_step(0.5);
    adam.update({0, 1, true}, w, Vector::Zero(2));
    adam.update({1, 1, false}, w, Vector::Zero(2));

    CHECK(w == Eigen::Vector2d(4.0 * (1.0 - 0.5 * 0.25), 4.0));
  }

  TEST_CASE("takes the exact roots of floats") {
    detail::UpdateChunk<float> chunk;
    chunk << 0.0f, 2.0f, 3.0f, 1e-40f, 1e30f, HUGE_VALF, 7.0f, 0.1f;
    const detail::UpdateChunk<float> squares = chunk;

    detail::take_roots<float>(chunk);

    for (Index i = 0; i < chunk.size(); ++i) {
      CHECK(chunk[i] == std::sqrt(squares[i]));
    }
  }

  TEST_CASE("makes the same bits however the range is split") {
    check_split_ranges<Adam>(kOptions);
  }

  TEST_CASE("leaves what lies outside of its ranges as it is") {
    check_outside_of_ranges<Adam>(kOptions);
  }

  TEST_CASE("goes on in the same bits after its state was restored") {
    check_restored_state<Adam>(kOptions);
  }

  TEST_CASE("takes over the state of a rule that ran elsewhere") {
    check_taken_state<Adam>(kOptions, [](auto& other, const auto& first) {
      other.set_state(first.num_steps(), first.mean(), first.mean_square());
    });
  }

  TEST_CASE("refuses the state of another size or number type") {
    check_refused_states<Adam>(kOptions);
  }
}

}  // namespace mlp::optim
