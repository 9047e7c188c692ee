// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Writes the name lists, the hyper-parameters and the exit codes as JSON, for
// tools/check_facts.py, which compares the documents with them.
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../cli/console/exit_code.hpp"
#include "../../cli/flags/option_table.hpp"
#include "../../optim/convergence_reason.hpp"

namespace {

using Names = std::vector<std::string_view>;

/// No name or sentence holds a character that JSON escapes.
std::string quoted(std::string_view text) {
  return std::string("\"").append(text).append("\"");
}

template <typename List>
Names names_of(const List& list) {
  Names names;
  for (const auto& known : list) names.push_back(known.name);
  return names;
}

std::string array_of(std::span<const std::string_view> names) {
  std::string text = "[";
  for (const std::string_view name : names) {
    text.append(text.size() > 1 ? ", " : "").append(quoted(name));
  }
  return text + ']';
}

std::string lists() {
  std::vector<std::string> forms;
  for (const auto& shape : mlp::optim::kStepShapeTexts) {
    forms.push_back(std::string(shape.name).append(shape.arguments));
  }
  Names batch_solvers;
  for (const auto& known : mlp::kSolverNames) {
    if (mlp::has_mini_batches(known.value)) batch_solvers.push_back(known.name);
  }
  const auto& activations = mlp::Activation::names();
  std::string text;
  const auto add = [&](std::string_view name,
                       std::span<const std::string_view> names) {
    text.append("    " + quoted(name) + ": " + array_of(names) + ",\n");
  };
  add("activations", activations);
  add("initializations", mlp::kNamesOf<mlp::kInitializationNames>);
  add("solvers", mlp::kNamesOf<mlp::kSolverNames>);
  add("miniBatchSolvers", batch_solvers);
  add("schedules", names_of(mlp::optim::kStepShapeTexts));
  add("scheduleForms", Names(forms.begin(), forms.end()));
  add("tasks", mlp::kNamesOf<mlp::kTaskNames>);
  add("losses", mlp::kNamesOf<mlp::kLossNames>);
  add("precisions", mlp::kNamesOf<mlp::kPrecisionNames>);
  add("transports", mlp::kNamesOf<mlp::cli::kTransportNames>);
  add("backends", mlp::cli::kBackendNames);
  add("wireTypes", mlp::kNamesOf<mlp::kWireNames>);
  add("convergenceReasons", names_of(mlp::optim::kConvergenceTexts));
  text.resize(text.size() - 2);
  return text + '\n';
}

std::string bounds_of(const mlp::Interval& bounds, bool is_integer) {
  std::string text = ", \"bounds\": {\"type\": ";
  text += is_integer ? "\"integer\"" : "\"number\"";
  // An integer above 0 is one from 1 on.
  const bool is_next = is_integer && !bounds.includes_lower;
  const std::string lower = std::to_string(bounds.lower + (is_next ? 1 : 0));
  text += bounds.includes_lower || is_next ? ", \"minimum\": " + lower
                                           : ", \"exclusiveMinimum\": " + lower;
  if (bounds.is_bounded()) {
    text +=
        bounds.includes_upper ? ", \"maximum\": " : ", \"exclusiveMaximum\": ";
    text += std::to_string(bounds.upper);
  }
  return text + '}';
}

std::string params() {
  std::string text;
  for (const mlp::ParamInfo& info : mlp::kParamTable) {
    constexpr std::string_view kStored[] = {"never", "always", "whenSet"};
    text += text.empty() ? "" : ",\n";
    text += "    {\"name\": " + quoted(info.name) +
            ", \"flag\": " + quoted(info.flag) +
            ", \"interval\": " + quoted(info.interval) + ", \"stored\": " +
            quoted(kStored[static_cast<std::size_t>(info.stored)]) +
            ", \"choices\": " + array_of(info.choices) +
            ", \"isList\": " + (info.is_list ? "true" : "false") +
            ", \"isSwitch\": " + (info.type.empty() ? "true" : "false");
    const bool is_integer = info.interval.starts_with("an integer");
    if (info.bounds != nullptr) text += bounds_of(*info.bounds, is_integer);
    text += '}';
  }
  return text + '\n';
}

std::string exit_codes() {
  std::string text;
  for (const mlp::cli::ExitCodeInfo& info : mlp::cli::kExitCodeTable) {
    text += text.empty() ? "" : ",\n";
    text += "    {\"code\": " + std::to_string(info.code) +
            ", \"name\": " + quoted(info.name) +
            ", \"meaning\": " + quoted(info.meaning) + '}';
  }
  return text + '\n';
}

}  // namespace

int main() {
  const std::string text =
      "{\n  \"lists\": {\n" + lists() + "  },\n  \"params\": [\n" + params() +
      "  ],\n  \"exitCodes\": [\n" + exit_codes() + "  ]\n}\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}
