// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../flags/flag_reader.hpp"
#include "../rank_options.hpp"

namespace mlp::cli {

/// Checks the names of the files of a training against its ranks. It looks for {rank}
/// where it cannot be replaced, and for inputs that several processes cannot read.
///
/// \param data  as given, with {rank} if each rank has files of its own
/// \throws ParamError naming the flag
void check_rank_files(const std::vector<std::string>& data,
                      const FlagReader& flags, const RankOptions& ranks);

/// Warns if there is one more file with {rank} in its name than there are ranks.
void warn_of_unread_files(const std::vector<std::string>& data, int world_size);

}  // namespace mlp::cli
