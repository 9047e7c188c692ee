// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "export_flag.hpp"

#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/names.hpp"
#include "../../mlp/params/export_format.hpp"

namespace mlp::cli {

namespace {

/// Returns true if flags or the model of --warm-start encode columns.
bool has_columns(const TrainOptions& options) {
  return options.csv.one_hot.is_on() ||
         options.csv.missing == datasets::MissingRule::kMean ||
         (options.warm_start && !options.warm_start->input_columns().empty());
}

/// Returns a flag as it is given: "--activation relu"
std::string given_flag(const OptionInfo& option, const FlagReader& flags) {
  const std::string value = flags.text(FlagName(option));
  return option.flag() + (option.is_switch() ? "" : ' ' + value);
}

/// Returns the flag that causes a problem: that of the hyper-parameter, or of the
/// file that gives it.
std::string cause_of(const ExportProblem& problem, const TrainOptions& options,
                     const FlagReader& flags) {
  for (const OptionInfo& option : kOptionTable) {
    const bool is_about_columns =
        option.name == "one-hot" ||
        (option.name == "missing" &&
         options.csv.missing == datasets::MissingRule::kMean);
    const bool is_cause =
        option.param != nullptr
            ? option.param->name == problem.parameter
            : problem.parameter == "columns" && is_about_columns;
    if (is_cause && flags.has(FlagName(option))) {
      return given_flag(option, flags);
    }
  }
  return options.warm_start
             ? "--warm-start " + options.warm_start_file
             : "--initial-weights " + options.initial_weights_file;
}

}  // namespace

void read_export_format(TrainOptions& options, const FlagReader& flags) {
  if (!flags.has("for")) return;
  const ExportFormat format =
      flags.choice("for", kExportFormatNames, ExportFormat::kSpark);
  options.export_format = format;
  const auto problem = find_export_problem(
      format, export_facts(options.params, has_columns(options)));
  if (!problem) return;
  throw ParamError(cause_of(*problem, options, flags) + ": --for " +
                   std::string(name_in(kExportFormatNames, format)) + ' ' +
                   std::string(problem->need));
}

void check_export(const TrainingRun& run, const Params& params,
                  const TrainingData& data) {
  const auto& given = run.options.export_format;
  const bool encodes =
      !data.input_columns.empty() || !data.train.columns.empty();
  const ExportFormat format = given.value_or(ExportFormat::kSpark);
  const auto problem =
      find_export_problem(format, export_facts(params, encodes));
  if (!problem) return;
  if (!given) {
    run.global.console.detail(
        "the model cannot be written as Spark's, because " + problem->reason +
        "; --for spark trains one that can");
    return;
  }
  throw ParamError("--for " + std::string(name_in(kExportFormatNames, format)) +
                   ": cannot express the model, because " + problem->reason);
}

}  // namespace mlp::cli
