// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/export_format.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp {

namespace {

/// The parameter and the reason of a problem; empty if there is none.
std::string problem(ExportFormat format, const ExportFacts& facts) {
  const auto found = find_export_problem(format, facts);
  return found ? std::string(found->parameter) + ": " + found->reason : "";
}

}  // namespace

TEST_SUITE("mlp/params/export_format") {
  TEST_CASE("finds no problem in a network of sigmoids and a softmax") {
    Params params;
    params.layers = {4, 5, 5, 3};
    params.batch_norm = true;
    params.dropout = {0.5};
    params.activation = {Activation()};

    CHECK(problem(ExportFormat::kSpark, export_facts(params, false)) == "");
    CHECK(problem(ExportFormat::kOnnx, export_facts(params, false)) == "");
  }

  TEST_CASE("finds what Spark cannot express") {
    Params params;
    params.layers = {4, 5, 5, 3};
    params.activation = {*Activation::find("tanh"), *Activation::find("relu")};
    Params residual;
    residual.residual = true;
    Params regression;
    regression.task = Task::kRegression;
    Params quantiles;
    quantiles.numeric_encoding = {4};

    CHECK(problem(ExportFormat::kSpark, export_facts(quantiles, false)) ==
          "numericEncoding: it encodes numbers in quantile bins");
    CHECK(problem(ExportFormat::kOnnx, export_facts(quantiles, false)) == "");
    CHECK(problem(ExportFormat::kSpark, export_facts(params, false)) ==
          "activation: its hidden layers have the activation relu, tanh");
    CHECK(problem(ExportFormat::kSpark, export_facts(residual, false)) ==
          "residual: it has residual connections");
    CHECK(problem(ExportFormat::kSpark, export_facts(regression, false)) ==
          "task: it predicts numbers, and Spark's model predicts classes");
    CHECK(problem(ExportFormat::kSpark, export_facts(Params(), true)) ==
          "columns: it encodes columns of its data file");
  }

  TEST_CASE("finds what ONNX cannot express") {
    Params params;
    params.task = Task::kRegression;
    params.residual = true;
    params.activation = {*Activation::find("swish")};
    Params large;
    large.layers = {1 << 14, 1 << 14, 2};

    CHECK(problem(ExportFormat::kOnnx, export_facts(params, false)) == "");
    CHECK(problem(ExportFormat::kOnnx, export_facts(params, true)) ==
          "columns: it encodes columns of its data file");
    // (2^14 + 1) 2^14 + (2^14 + 1) 2 weights of 8 bytes
    CHECK(problem(ExportFormat::kOnnx, export_facts(large, false)) ==
          "layers: its weights have 2147876880 bytes, and a file has at most 2 "
          "GB");
  }

  TEST_CASE("tells what another training of the same data avoids") {
    Params relu;
    relu.layers = {4, 5, 3};
    relu.activation = {*Activation::find("relu")};
    Params regression;
    regression.task = Task::kRegression;

    const auto avoidable =
        find_export_problem(ExportFormat::kSpark, export_facts(relu, false));
    const auto of_data =
        find_export_problem(ExportFormat::kSpark, export_facts(relu, true));
    const auto of_task = find_export_problem(ExportFormat::kSpark,
                                             export_facts(regression, false));

    CHECK(avoidable->is_avoidable());
    CHECK(avoidable->remedy == "activation sigmoid");
    CHECK_FALSE(of_data->is_avoidable());
    CHECK(of_data->remedy == "features that are numbers without missing ones");
    CHECK_FALSE(of_task->is_avoidable());
    CHECK(of_task->remedy == "");
  }

  TEST_CASE("says nothing about activations without hidden layers") {
    Params params;
    params.layers = {4, 3};
    params.activation = {*Activation::find("relu")};

    CHECK(problem(ExportFormat::kSpark, export_facts(params, false)) == "");
  }
}

}  // namespace mlp
