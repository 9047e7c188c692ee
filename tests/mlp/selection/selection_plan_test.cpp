// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/selection_plan.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../thrown_message.hpp"

namespace mlp {

namespace {

Params make_params(std::vector<Index> layers) {
  Params params;
  params.layers = std::move(layers);
  params.activation = {Activation::of<activations::Relu>()};
  return params;
}

SelectionChoice plan_of(const Params& params, const SelectionFacts& facts) {
  return plan_selection(params, facts, {});
}

}  // namespace

TEST_SUITE("mlp/selection/selection_plan") {
  TEST_CASE("larger tables take fewer folds and networks") {
    const Params params = make_params({10, 100, 8});

    const auto small = plan_of(params, {150}).plan;
    const auto many = plan_of(params, {200'000});
    const auto& larger = many.plan;
    const auto largest = plan_of(params, {10'000'000});

    CHECK(small->num_folds == 5);
    CHECK(small->num_networks == 5);
    CHECK(larger->num_folds == 3);
    CHECK(larger->num_networks == 3);
    CHECK(many.note ==
          "effort standard takes 3 folds and 3 networks, because 200000 rows "
          "times 1908 weights are too much for more, which could take 25 times "
          "the multiplications of one network, not 15");
    CHECK_FALSE(largest.plan.has_value());
    CHECK(
        largest.note ==
        "effort standard trains one network, because 10000000 rows times 1908 "
        "weights are too much to train several; 3 folds and 3 networks could "
        "take 15 times its multiplications");
  }

  TEST_CASE("best tries other widths and merges more networks") {
    const auto plan = [](Index num_instances) {
      return plan_of(make_params({10, 100, 8}), {num_instances, Effort::kBest});
    };

    const auto small = plan(150);
    const auto larger = plan(200'000);

    CHECK(small.note == "");
    CHECK(small.plan->widths.size() == 2);
    CHECK(small.plan->encodings.size() == 3);
    CHECK(small.plan->num_networks == 10);
    CHECK(larger.plan->widths.size() == 1);
    CHECK(larger.plan->num_networks == 3);
    CHECK(larger.note ==
          "effort best takes 3 folds and 3 networks and tries no other sizes "
          "of the hidden layer, because 200000 rows times 1908 weights are too "
          "much for more, which could take 50 times the multiplications of one "
          "network, not 30");
  }

  TEST_CASE("a regression has networks of one encoding") {
    Params params = make_params({10, 100, 1});
    params.task = Task::kRegression;

    const auto plan = plan_of(params, {150}).plan;

    CHECK_FALSE(plan->joins_encodings);
    CHECK(max_multiple(*plan) == 16.0);
    CHECK(max_trainings(*plan) == 1 + 5 * (2 + 3 + 1) + 5);
    CHECK(plan_of(make_params({10, 100, 8}), {150}).plan->joins_encodings);
  }

  TEST_CASE("counts the most trainings of a plan") {
    // The first network, five folds for two encodings, and for each three more penalties
    // and the last trainings, and five networks.
    CHECK(max_trainings({}) == 1 + 5 * (2 + 2 * (3 + 1)) + 5);
    CHECK(max_trainings({.num_folds = 3,
                         .num_networks = 1,
                         .encodings = {{}},
                         .penalties = {1.0}}) == 1 + 3 * 2 + 1);
  }

  TEST_CASE("a width multiplies the sizes of hidden layers") {
    const auto size = [](double width) {
      return with_width(make_params({4, 15, 3}), width).layers;
    };
    CHECK(size(1.0) == std::vector<Index>{4, 15, 3});
    CHECK(size(0.5) == std::vector<Index>{4, 8, 3});
    CHECK(size(0.01) == std::vector<Index>{4, 1, 3});
  }

  TEST_CASE("a hyper-parameter of the caller is not chosen") {
    Params params = make_params({4, 16, 3});
    params.numeric_encoding = {20};
    const std::vector<std::string_view> given = {"numericEncoding", "regParam"};

    const auto plan = plan_of(params, {150, Effort::kStandard, given}).plan;

    CHECK(plan->encodings == std::vector<NumericEncoding>{{20}});
    CHECK(plan->penalties == std::vector<double>{1.0});
  }

  TEST_CASE("bins are not tried if the format cannot express them") {
    const auto encodings = [](ExportFormat format) {
      return plan_of(make_params({4, 16, 3}),
                     {150, Effort::kStandard, {}, format})
          .plan->encodings.size();
    };
    CHECK(encodings(ExportFormat::kSpark) == 1);
    CHECK(encodings(ExportFormat::kOnnx) == 2);
  }

  TEST_CASE("a network that reads bins has a sixth of the hidden units") {
    const auto layers = [](Index size, Index num_bins) {
      return with_encoding(make_params({4, size, 3}), {num_bins}).layers[1];
    };
    CHECK(layers(128, 8) == 21);
    CHECK(layers(16, 8) == 8);
    CHECK(layers(4, 8) == 4);
    CHECK(layers(128, 0) == 128);
  }

  TEST_CASE("intervals and sets need folds") {
    Params params = make_params({10, 100, 1});
    params.task = Task::kRegression;
    SelectionFacts facts{150};
    facts.coverage = 0.9;
    const auto plan = plan_of(params, facts).plan;
    facts.num_instances = 10'000'000;

    const std::string refusal = test::thrown_message<ParamError>(
        [&] { static_cast<void>(plan_of(params, facts)); });

    CHECK(plan->coverage == 0.9);
    CHECK(refusal ==
          "interval needs rows that the trainings of folds did not see; effort "
          "standard trains one network, because 10000000 rows times 1201 "
          "weights are "
          "too much to train several; 3 folds and 3 networks could take 10 "
          "times its multiplications");
  }

  TEST_CASE("too little memory leaves out bins, and then all but one network") {
    const auto choose = [](double available_bytes) {
      return plan_of(make_params({50, 16, 2}),
                     {100'000, Effort::kStandard, {}, {}, available_bytes});
    };

    CHECK(choose(1e10).plan->encodings.size() == 2);
    CHECK(choose(1e10).note == "");
    const auto middle = choose(8e8);
    CHECK(middle.plan->encodings.size() == 1);
    CHECK(middle.note ==
          "effort standard tries no quantile bins, because more would need "
          "2.2 GB of memory; 800 MB are available");
    const auto least = choose(1e8);
    CHECK_FALSE(least.plan.has_value());
    CHECK(least.note ==
          "effort standard trains one network, because more would need "
          "2.2 GB of memory; 100 MB are available");
  }

  TEST_CASE("too little memory leaves out widths before bins") {
    bool has_step = false;
    for (double available_bytes = 1e8; available_bytes < 1e10;
         available_bytes *= 1.01) {
      const auto choice =
          plan_of(make_params({4, 128, 2}),
                  {200'000, Effort::kBest, {}, std::nullopt, available_bytes});
      if (!choice.plan || choice.plan->widths.size() > 1) continue;
      if (choice.plan->encodings.size() == 1) continue;
      has_step = true;
      CHECK(choice.note.starts_with(
          "effort best tries no other sizes of the hidden layer, because more "
          "would need "));
    }
    CHECK(has_step);
  }
}

}  // namespace mlp
