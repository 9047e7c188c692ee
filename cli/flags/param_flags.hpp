// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The flags of the hyper-parameters.

#include <functional>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../../mlp/params/params.hpp"
#include "command_line.hpp"
#include "option_table.hpp"

namespace mlp::cli {

/// Calls a function and returns what it returns; names the flag in front of its errors.
template <typename Function>
auto name_flags(const Function& function) {
  try {
    return function();
  } catch (const ParamError& error) {
    const ParamInfo* const info = find_param(error.parameter());
    const OptionInfo* const option = find_option(error.parameter());
    if (info == nullptr && option == nullptr) throw;
    throw error.with_prefix((info ? std::string(info->flag) : option->flag()) +
                            ": ");
  }
}

/// Sets the hyper-parameters that flags give, except the initial weights.
///
/// \param takes_other  returns true if it keeps a value that has another form than
///                     the hyper-parameter; gets its name as Spark spells it
/// \throws ParamError naming the flag
void set_params(
    Params& params, const CommandLine& line,
    const std::function<bool(std::string_view name, const std::string& value)>&
        takes_other = {});

/// Checks the hyper-parameters.
///
/// \param num_targets  of a regression of several numbers, else 0
/// \throws ParamError naming the flag, what it must be and what it is
void validate_flags(const Params& params, Index num_targets);

}  // namespace mlp::cli
