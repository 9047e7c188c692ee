// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/param_values.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace mlp::detail {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Numbers = std::vector<double>;

std::optional<Numbers> numbers_of(std::string_view text) {
  return parse_list<double>(text, parse_double);
}

}  // namespace

TEST_SUITE("mlp/params/param_values") {
  TEST_CASE("splits lists with and without brackets and blanks") {
    CHECK(numbers_of("1,2.5") == Numbers{1.0, 2.5});
    CHECK(numbers_of("[ 1 , 2.5 ]") == Numbers{1.0, 2.5});
    CHECK(numbers_of("7") == Numbers{7.0});
    CHECK(numbers_of("") == Numbers{});
    CHECK(numbers_of("[]") == Numbers{});
  }

  TEST_CASE("splits nothing where an item does not parse") {
    for (const char* text : {"1,", ",1", "1,,2", "[1", "1]", "a", "1;2", ","}) {
      CAPTURE(text);
      CHECK_FALSE(numbers_of(text).has_value());
    }
  }

  TEST_CASE("sets a number only where the text is one") {
    Params params;

    CHECK(parse_number<&Params::max_iter>(params, "7"));
    CHECK_FALSE(parse_number<&Params::max_iter>(params, "7.5"));
    CHECK(parse_number<&Params::tol>(params, "0.5"));
    CHECK_FALSE(parse_number<&Params::tol>(params, "x"));
    CHECK(params.max_iter == 7);
    CHECK(params.tol == 0.5);
    CHECK(format_number<&Params::max_iter>(params) == "7");
    CHECK(format_number<&Params::tol>(params) == "0.5");
  }

  TEST_CASE("reads and writes each name of a choice") {
    Params params;
    for (const auto& known : kSolverNames) {
      CHECK(parse_choice<&Params::solver, kSolverNames>(params, known.name));
      CHECK(params.solver == known.value);
      CHECK(format_choice<&Params::solver, kSolverNames>(params) ==
            json_string(known.name));
    }
    for (const auto& known : kTaskNames) {
      CHECK(parse_choice<&Params::task, kTaskNames>(params, known.name));
      CHECK(format_choice<&Params::task, kTaskNames>(params) ==
            json_string(known.name));
    }

    CHECK_FALSE(parse_choice<&Params::task, kTaskNames>(params, "ranking"));
    CHECK(params.task == Task::kRegression);
  }

  TEST_CASE("takes true and false alone for a switch") {
    Params params;

    CHECK(parse_flag<&Params::residual>(params, "true"));
    CHECK(format_flag<&Params::residual>(params) == "true");
    CHECK_FALSE(parse_flag<&Params::residual>(params, "1"));
    CHECK_FALSE(parse_flag<&Params::residual>(params, "False"));
    CHECK(params.residual);
    CHECK(parse_flag<&Params::residual>(params, "false"));
    CHECK(format_flag<&Params::residual>(params) == "false");
  }

  TEST_CASE("writes lists of numbers and nothing for none") {
    Params params;
    CHECK(format_numbers<&Params::dropout>(params).empty());

    CHECK(parse_doubles<&Params::dropout>(params, "0.25,0.5"));

    CHECK(format_numbers<&Params::dropout>(params) == "[0.25, 0.5]");
    CHECK_FALSE(parse_doubles<&Params::dropout>(params, "0.25,half"));
    CHECK(params.dropout == Numbers{0.25, 0.5});
  }

  TEST_CASE("writes the step size that the solver resolves to") {
    Params params;
    CHECK(format_step_size(params) == "0.03");
    params.solver = Solver::kAdam;
    CHECK(format_step_size(params) == "0.001");

    CHECK(parse_step_size(params, "0.5"));

    CHECK(format_step_size(params) == "0.5");
  }

  TEST_CASE("reads the names of activations and writes them in quotes") {
    Params params;
    CHECK(format_activation(params).empty());

    CHECK(parse_activation(params, "relu, tanh"));

    CHECK(params.activation.size() == 2);
    CHECK(format_activation(params) == "\"relu,tanh\"");
    CHECK_FALSE(parse_activation(params, "relu,gelu"));
    CHECK(format_activation(params) == "\"relu,tanh\"");
  }

  TEST_CASE("writes the first name of an initialisation") {
    Params params;
    CHECK(format_choice<&Params::init, kInitializationNames>(params) ==
          "\"spark\"");

    CHECK(parse_init(params, "glorot"));

    CHECK(format_choice<&Params::init, kInitializationNames>(params) ==
          "\"xavier-uniform\"");
    CHECK_FALSE(parse_init(params, "random"));
    CHECK(params.init == Initialization::kXavierUniform);
  }

  TEST_CASE("reads back the schedule that it writes") {
    Params params;
    CHECK(format_schedule(params) == "\"constant\"");

    CHECK(parse_schedule(params, "cosine,warmup:2"));

    CHECK(format_schedule(params) == "\"cosine,warmup:2\"");
    CHECK_FALSE(parse_schedule(params, "sine"));
  }

  TEST_CASE("reads layers to freeze and finds those below 1") {
    Params params;
    CHECK(is_freeze_valid(params));

    CHECK(parse_ints<&Params::freeze>(params, "1,2"));
    CHECK(is_freeze_valid(params));
    CHECK_FALSE(parse_ints<&Params::freeze>(params, "first"));
    params.freeze = {1, 0};
    CHECK_FALSE(is_freeze_valid(params));
  }

  TEST_CASE("knows valid rates of dropout") {
    Params params;
    CHECK(is_dropout_valid(params));
    params.dropout = {0.0, 0.999};
    CHECK(is_dropout_valid(params));
    for (const double rate : {1.0, -0.1, kNaN}) {
      params.dropout = {0.5, rate};
      CAPTURE(rate);
      CHECK_FALSE(is_dropout_valid(params));
    }
  }

  TEST_CASE("knows valid weights of classes") {
    Params params;
    CHECK(are_class_weights_valid(params));
    params.class_weights = {0.0, 2.0};
    CHECK(are_class_weights_valid(params));
    for (const Numbers& wrong :
         {Numbers{0.0, 0.0}, Numbers{-1.0, 2.0}, Numbers{kNaN, 2.0}}) {
      params.class_weights = wrong;
      CHECK_FALSE(are_class_weights_valid(params));
    }
  }
}

}  // namespace mlp::detail
