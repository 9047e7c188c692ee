// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "param_flags.hpp"

#include <algorithm>

#include "../../core/number_text.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "flag_reader.hpp"
#include "lenient_value.hpp"

namespace mlp::cli {

void set_params(
    Params& params, const CommandLine& line,
    const std::function<bool(std::string_view name, const std::string& value)>&
        takes_other) {
  for (const GivenOption& given : line.options) {
    const ParamInfo* info = given.option->param;
    if (info == nullptr || info->name == "initialWeights") continue;
    if (!value_hint(*given.option, given.value).empty()) {
      refuse_value(given.option->name, info->interval, given.value);
    }
    if (takes_other && takes_other(info->name, given.value)) continue;
    name_flags([&] {
      set_param(params, *info,
                given.option->is_switch() ? "true" : given.value);
    });
    const bool is_empty_list = info->format(params).empty();
    if (is_empty_list) {
      refuse_value(given.option->name, info->interval, given.value);
    }
  }
}

void validate_flags(const Params& params, Index num_targets) {
  const bool has_layers = !params.layers.empty();
  name_flags([&] {
    for (const ParamInfo& info : kParamTable) {
      if (!has_layers && info.name == "layers") continue;
      mlp::require_valid(info, params);
    }
    if (!has_layers) return;
    const Index num_outputs = std::max(num_targets, Index{1});
    if (params.task == Task::kRegression &&
        params.layers.back() != num_outputs) {
      throw ParamError("layers",
                       "must end with " + std::to_string(num_outputs) +
                           " for task regression" +
                           (num_targets == 0 ? "" : " with these labels") +
                           "; got " + format_list(params.layers));
    }
    validate(params);
  });
}

}  // namespace mlp::cli
