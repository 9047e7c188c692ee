// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../../mlp/model_file/model_document.hpp"

namespace mlp::cli {

/// Describes a model file as JSON: the document without the weights.
///
/// Counts and the result of the self-test are added.
///
/// \param text  the content of the file, already validated
[[nodiscard]] std::string format_model_json(std::string_view text,
                                            const ModelDocument& document,
                                            const SelfTestReport& check);

/// Describes a model file as text.
[[nodiscard]] std::string format_model_text(const ModelDocument& document);

}  // namespace mlp::cli
