// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_options.hpp"

#include <utility>

#include "../../core/error.hpp"
#include "../flags/param_flags.hpp"
#include "csv_flags.hpp"

namespace mlp::cli {

void read_data_flags(DataOptions& options, const CommandLine& line) {
  const FlagReader flags(line);
  options.data = line.data();
  options.label = flags.text("label");
  options.label_kind = flags.choice("label-kind", datasets::kLabelKindNames,
                                    datasets::LabelKind::kAuto);
  options.has_task = flags.has("task");
  options.labels_file = flags.text("labels");
  options.csv = read_csv_flags(flags);
  options.weight = flags.text("weight-col");
  read_encoding_flags(flags, options.csv);
  flags.refuse_both("label", "labels");
}

void read_targets(DataOptions& options) {
  if (options.params.task != Task::kRegression) return;
  auto columns = parse_columns(options.label);
  if (!columns) return;
  if (columns->size() == 1) {
    options.label = columns->front();
    return;
  }
  options.targets = std::move(*columns);
  options.label.clear();
}

DataOptions read_data_options(const CommandLine& line) {
  DataOptions options;
  read_data_flags(options, line);
  set_params(options.params, line);
  read_targets(options);
  validate_flags(options.params, options.num_targets());
  if (line.has("label-kind") && options.params.task == Task::kRegression) {
    throw ParamError("--label-kind: " + std::string(kLabelKindNeed));
  }
  return options;
}

}  // namespace mlp::cli
