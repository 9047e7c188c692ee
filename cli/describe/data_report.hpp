// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../datasets/dataset.hpp"

namespace mlp::cli {

/// Describes the content of a data file as JSON.
[[nodiscard]] std::string format_data_json(const datasets::Dataset& data);

/// Describes the content of a data file as text.
[[nodiscard]] std::string format_data_text(const datasets::Dataset& data);

}  // namespace mlp::cli
