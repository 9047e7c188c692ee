// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a model document as JSON text.

#include <optional>
#include <string>

#include "../../core/types.hpp"
#include "model_document.hpp"

namespace mlp {

/// The encoding of the weights in a model file.
enum class WeightsEncoding {
  kDecimal,  ///< the shortest decimals that read back as the same numbers
  kBase64,   ///< little-endian float64: about 11 bytes a weight, not 20
};

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

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline std::string write_model_json(const ModelDocument&, const std::string&,
                                    std::optional<WeightsEncoding>);
}  // namespace mlp
#include "json_writer.ipp"
#endif
