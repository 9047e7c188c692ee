// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Asks an extended library for a value of a hyper-parameter:
// main PARAM VALUE WORD MODEL_FILE. Help and completion must show WORD.
#include <cstdio>
#include <string>
#include <string_view>

// One translation unit compiles faster than three.
#include "cli/flags/help/completion.cpp"
#include "cli/flags/help/flag_text.cpp"
#include "cli/flags/help/help.cpp"
#include "mlp/backend/reference_backend.hpp"
#include "mlp/model_json.hpp"
#include "mlp/network/initial_weights.hpp"
#include "mlp/params/param_rules.hpp"
#include "mlp/training/training_fingerprint.hpp"

namespace {

int num_failures = 0;

void expect(bool is_met, const char* what) {
  if (is_met) return;
  std::printf("expected that %s\n", what);
  ++num_failures;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

void check_program(const mlp::ParamInfo& info, std::string_view word) {
  const auto* const option = mlp::cli::find_option(info.name);
  expect(option != nullptr && option->param == &info, "a flag sets it");
  expect(has(mlp::cli::command_help(mlp::cli::kCommandTable[0]), word),
         "the help shows it");
  for (const std::string_view shell : mlp::cli::kShellNames) {
    expect(has(mlp::cli::completion_script(shell), word),
           "the completion offers it");
  }
}

void check_refusal(const mlp::ParamInfo& info, std::string_view value) {
  mlp::Params params;
  try {
    mlp::set_param(params, info, std::string(value).append("x"));
    expect(false, "another value is refused");
  } catch (const mlp::ParamError& error) {
    expect(error.parameter() == info.name, "the error names the parameter");
    expect(has(error.what(), info.interval), "the sentence has its interval");
  }
}

mlp::Params params_with(const mlp::ParamInfo& info, std::string_view value) {
  mlp::Params params;
  params.layers = {2, 3, 2};
  params.solver = mlp::Solver::kAdam;
  mlp::set_param(params, info, value);
  mlp::validate(params);
  return params;
}

/// Writes a model file and reads it back.
void check_model_file(const mlp::Params& params, const std::string& file) {
  const mlp::Topology topology = mlp::topology_of(params);
  mlp::Model model(topology, mlp::draw_initial_weights(topology, params.seed));
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix::Constant(2, 1, 0.5);
  mlp::save_model(file,
                  mlp::make_model_document(std::move(model), params, {}, data));
  const mlp::ModelDocument read = mlp::load_model(file);
  expect(read.model.topology() == topology, "a file keeps the network");
  for (const mlp::ParamInfo& info : mlp::kParamTable) {
    if (info.stored == mlp::Stored::kNever) continue;
    expect(info.format(read.params) == info.format(params),
           "a file keeps the hyper-parameters");
  }
}

void check_fingerprint(const mlp::ParamInfo& info, const mlp::Params& params) {
  mlp::FitOptions options;
  options.backend = &mlp::reference_backend();
  expect(has(mlp::training_facts(params, options, false),
             std::string(info.name).append(" ") + info.format(params) + '\n'),
         "the fingerprint has it");
}

}  // namespace

int main(int num_words, char** words) {
  const mlp::ParamInfo* const info =
      num_words == 5 ? mlp::find_param(words[1]) : nullptr;
  if (info == nullptr) {
    std::puts("expected PARAM VALUE WORD MODEL_FILE, PARAM of the table");
    return 2;
  }
  check_program(*info, words[3]);
  check_refusal(*info, words[2]);
  const mlp::Params params = params_with(*info, words[2]);
  check_fingerprint(*info, params);
  check_model_file(params, words[4]);
  return num_failures == 0 ? 0 : 1;
}
