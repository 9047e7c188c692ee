// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Writes the table of the hyper-parameters as JSON, for generate_parameters.py.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "../../core/json_text.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../../mlp/params/preset.hpp"

namespace {

/// Returns what the preset modern gives a hyper-parameter for a table.
///
/// \param solver  that the caller has set; without effect on the solver's own default
std::string modern_value(const mlp::ParamInfo& info,
                         const mlp::TableFacts& facts, mlp::Solver solver) {
  mlp::Params params;
  params.solver = solver;
  params.task = mlp::Task::kClassification;
  const std::string_view solver_name = "solver";
  const std::size_t num_given = info.name == solver_name ? 0 : 1;
  static_cast<void>(
      mlp::apply_modern(params, facts, {&solver_name, num_given}));
  return info.format(params);
}

/// Returns a value as JSON, null if it is not set, and "data" in quotation marks
/// if it depends on the table.
std::string describe_modern(const mlp::ParamInfo& info, mlp::Solver solver) {
  const std::string small = modern_value(info, {4, 3, 150.0}, solver);
  const std::string large = modern_value(info, {784, 10, 60000.0}, solver);
  if (small != large) return "\"data\"";
  return small.empty() ? "null" : small;
}

bool is_set_by_modern(const mlp::ParamInfo& info) {
  return info.name == "layers" ||
         std::any_of(mlp::kModernSettings.begin(), mlp::kModernSettings.end(),
                     [&](const mlp::ModernSetting& setting) {
                       return setting.name == info.name;
                     });
}

std::string quoted(std::string_view text) { return mlp::json_string(text); }

std::string row_of(const mlp::ParamInfo& info) {
  std::string text = "  {\"name\": " + quoted(info.name);
  text += ", \"type\": " + quoted(info.type);
  text += ", \"interval\": " + quoted(info.interval);
  text += ", \"sentence\": " + quoted(info.sentence);
  const std::string initial = info.format(mlp::Params{});
  text += ", \"spark\": " + (initial.empty() ? "null" : initial);
  text += ", \"choices\": [";
  for (const std::string_view choice : info.choices) {
    text += (text.back() == '[' ? "" : ", ") + quoted(choice);
  }
  text += ']';
  if (is_set_by_modern(info)) {
    text += ", \"modern\": " + describe_modern(info, mlp::Solver::kLbfgs);
    text +=
        ", \"modernMiniBatch\": " + describe_modern(info, mlp::Solver::kAdam);
  }
  return text + '}';
}

}  // namespace

int main() {
  std::string text = "[";
  for (const mlp::ParamInfo& info : mlp::kParamTable) {
    text += (text.size() > 1 ? ",\n" : "\n") + row_of(info);
  }
  text += "\n]\n";
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
}
