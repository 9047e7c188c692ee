// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../fit/train_options.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

/// Refuses flags of train that would have no effect. Those that Spark accepts, as
/// parameters that its solver does not use, are described instead.
///
/// \param options  the hyper-parameters, the ranks and the validation are read
/// \return sentences for notes
/// \throws ParamError naming the flag and what it needs
[[nodiscard]] std::vector<std::string> check_flag_needs(
    const TrainOptions& options, const FlagReader& flags);

}  // namespace mlp::cli
