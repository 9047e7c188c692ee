// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Saves and loads model files, and converts models to and from JSON.

#include <optional>
#include <string>
#include <string_view>

#include "model_document.hpp"

namespace mlp {

/// Writes a document as the text of a model file. It is of version 1 if Spark
/// supports everything in the document. The members are in the order of
/// json_members.hpp. Equal documents give equal bytes.
///
/// \param encoding  none: decimals up to 100,000 weights, base64 above, which is
///                  faster to load and half as long
/// \param file      the document's name in messages
/// \throws ModelError naming the JSON path of the first value that a model file
///         cannot store, for example a weight that is not finite
/// \source docs/model-format.md
[[nodiscard]] std::string to_json(
    const ModelDocument& document,
    std::optional<WeightsEncoding> encoding = std::nullopt,
    const std::string& file = "model");

/// Reads the text of a model file of version 1 or 2, and checks all of it.
///
/// \param text  all bytes of the file
/// \param file  its name in messages
/// \return a document from which to_json() makes the same text, if the same version
///         wrote it in its default encoding
/// \throws ModelError: file:line:column if the text is not JSON; file and JSON
///         path if a member is missing, unknown or occurs twice, or a value has
///         another type, count or range than its version allows; $.sha256 if
///         the file was changed after it was written. ResourceError if memory runs
///         out
/// \cost   memory grows with the bytes of the text, never with a count in it
/// \source docs/model-format.md
[[nodiscard]] ModelDocument from_json(std::string_view text,
                                      const std::string& file);

/// Saves a document as the file that to_json() describes. The file is replaced as a
/// whole or not at all; a device or a pipe is written directly.
///
/// \throws ModelError as to_json() does; ResourceError if the path cannot be
///         written, or disk space or memory runs out. An existing file then stays
///         unchanged.
void save_model(const std::string& path, const ModelDocument& document,
                std::optional<WeightsEncoding> encoding = std::nullopt);

/// Loads a model file as from_json() does. The reading ends at the first byte that
/// no model has, because a device may have no end.
///
/// \throws ModelError also if the file is missing or unreadable; ResourceError if
///         memory or file handles run out
[[nodiscard]] ModelDocument load_model(const std::string& path);

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines them
namespace mlp {
inline std::string to_json(const ModelDocument&, std::optional<WeightsEncoding>,
                           const std::string&);
inline ModelDocument from_json(std::string_view, const std::string&);
inline void save_model(const std::string&, const ModelDocument&,
                       std::optional<WeightsEncoding>);
inline ModelDocument load_model(const std::string&);
}  // namespace mlp
#include "model_json.ipp"
#endif
