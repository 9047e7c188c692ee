// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../datasets/dataset.hpp"

namespace mlp::cli {

/// What a data file holds, for scripts.
[[nodiscard]] std::string format_data_json(const datasets::Dataset& data);

/// What a data file holds, for people.
[[nodiscard]] std::string format_data_text(const datasets::Dataset& data);

}  // namespace mlp::cli
