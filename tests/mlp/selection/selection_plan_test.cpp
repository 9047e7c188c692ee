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
    const auto larger = plan_of(params, {200'000}).plan;
    const auto largest = plan_of(params, {10'000'000});

    CHECK(small->num_folds == 5);
    CHECK(small->num_networks == 5);
    CHECK(larger->num_folds == 3);
    CHECK(larger->num_networks == 3);
    CHECK_FALSE(largest.plan.has_value());
    CHECK(largest.note ==
          "effort standard trains one network, because 10000000 rows are too "
          "many to train several");
  }

  TEST_CASE("a hyper-parameter of the caller is not chosen") {
    Params params = make_params({4, 16, 3});
    params.numeric_encoding = {20};
    const std::vector<std::string_view> given = {"numericEncoding", "regParam"};

    const auto plan = plan_of(params, {150, given}).plan;

    CHECK(plan->encodings == std::vector<NumericEncoding>{{20}});
    CHECK(plan->penalties == std::vector<double>{1.0});
  }

  TEST_CASE("bins are not tried if the format cannot express them") {
    const auto encodings = [](ExportFormat format) {
      return plan_of(make_params({4, 16, 3}), {150, {}, format})
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
          "standard trains one network, because 10000000 rows are too many to "
          "train several");
  }

  TEST_CASE("too little memory leaves out bins, and then all but one network") {
    const auto choose = [](double available_bytes) {
      return plan_of(make_params({50, 16, 2}),
                     {100'000, {}, {}, available_bytes});
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
}

}  // namespace mlp
