// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a model document as JSON text.

#include <optional>
#include <string>

#include "../../core/types.hpp"
#include "json_weights.hpp"
#include "model_document.hpp"

namespace mlp {

namespace detail {

/// Returns the default encoding of weights.
inline WeightsEncoding default_encoding(Index num_weights) {
  constexpr Index kMostDecimals = 100'000;
  return num_weights <= kMostDecimals ? WeightsEncoding::kDecimal
                                      : WeightsEncoding::kBase64;
}

}  // namespace detail

/// Writes a document as the text of a model file. It is of version 1 if Spark
/// supports everything in the document. The members are in the order of
/// json_members.hpp. The same document gives the same bytes.
///
/// \param file      the document's name in messages
/// \param encoding  none: decimals up to 100,000 weights, base64 above, which is
///                  faster to load and half as long
/// \throws ModelError naming the JSON path of the first value that a model file
///         cannot store, for example a weight that is not finite
/// \source docs/model-format.md
[[nodiscard]] std::string write_model_json(
    const ModelDocument& document, const std::string& file,
    std::optional<WeightsEncoding> encoding = std::nullopt);

/// Saves a document as the file that write_model_json() describes. The file is
/// replaced as a whole or not at all; a device or a pipe is written directly.
///
/// \throws ModelError as write_model_json() does, or if the path cannot be written;
///         ResourceError if disk space or memory runs out. An existing file then
///         stays unchanged.
void write_model_file(const std::string& path, const ModelDocument& document,
                      std::optional<WeightsEncoding> encoding = std::nullopt);

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline std::string write_model_json(const ModelDocument&, const std::string&,
                                    std::optional<WeightsEncoding>);
inline void write_model_file(const std::string&, const ModelDocument&,
                             std::optional<WeightsEncoding>);
}  // namespace mlp
#include "json_writer.ipp"
#endif
