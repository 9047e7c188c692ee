// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../../mlp/model_file/model_document.hpp"

namespace mlp::cli {

/// A model file for scripts: the document less the weights, with counts and
/// what came of its self-test.
///
/// \param text  the file, valid
[[nodiscard]] std::string format_model_json(std::string_view text,
                                            const ModelDocument& document,
                                            const SelfTestReport& check);

/// A model file for people.
[[nodiscard]] std::string format_model_text(const ModelDocument& document);

}  // namespace mlp::cli
