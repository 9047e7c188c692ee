// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model_document.hpp"

namespace mlp {

/// Reads the text of a model file of version 1 or 2, and checks all of it.
///
/// \param text  all bytes of the file
/// \param file  its name in messages
/// \return a document from which write_model_json() makes the same text, if the
///         same version wrote it in its default encoding
/// \throws ModelError: file:line:column if the text is not JSON; file and JSON
///         path if a member is missing, unknown or occurs twice, or a value has
///         another type, count or range than its version allows; $.sha256 if
///         the file was changed after it was written
/// \cost   memory grows with the bytes of the text, never with a count in it
/// \source docs/model-format.md
[[nodiscard]] ModelDocument read_model_json(std::string_view text,
                                            const std::string& file);

/// Reads a model file as read_model_json() does, and computes its checksum while
/// it is read.
///
/// \throws ModelError also if the file is missing or unreadable; ResourceError
///         if memory or file handles run out
[[nodiscard]] ModelDocument read_model_file(const std::string& path);

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline ModelDocument read_model_json(std::string_view, const std::string&);
inline ModelDocument read_model_file(const std::string&);
}  // namespace mlp
#include "json_reader.ipp"
#endif
