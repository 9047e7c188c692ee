// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../core/atomic_file.hpp"
#include "../core/error.hpp"
#include "../core/read_file.hpp"
#include "model_file/json_reader.hpp"
#include "model_file/json_writer.hpp"
#include "model_file/model_document.hpp"

namespace mlp {

/// Writes a document as JSON. The same document gives the same bytes.
///
/// \param encoding  none: as write_model_json() chooses
/// \throws ModelError naming the first value that no model file may hold, a
///         weight that is not finite for one
[[nodiscard]] inline std::string to_json(
    const ModelDocument& document,
    std::optional<WeightsEncoding> encoding = std::nullopt) {
  return write_model_json(document, "model", encoding);
}

/// Reads a document from JSON.
///
/// \param file  its name in messages
/// \throws ModelError as read_model_json(); ResourceError where memory ends
[[nodiscard]] inline ModelDocument from_json(std::string_view text,
                                             const std::string& file) try {
  return read_model_json(text, file);
} catch (const std::bad_alloc&) {
  throw ResourceError(file, "is too large for the memory that is left");
} catch (const std::length_error&) {
  throw ResourceError(file, "is too large for the memory that is left");
}

/// Saves a model file: the old file or the new one is there, never a part.
///
/// \param encoding  none: as write_model_json() chooses
/// \throws ModelError naming the first value that no model file may hold, or
///         why the path cannot be written; ResourceError where space or memory
///         end. An older file stays as it was.
inline void save_model(const std::string& path, const ModelDocument& document,
                       std::optional<WeightsEncoding> encoding = std::nullopt) {
  write_atomically<ModelError>(path,
                               write_model_json(document, path, encoding));
}

/// Loads a model file.
///
/// \throws ModelError where the file is missing or no valid model of version 1,
///         naming line and column or the JSON path; ResourceError where memory
///         or file handles end
[[nodiscard]] inline ModelDocument load_model(const std::string& path) {
  return from_json(read_file<ModelError>(path), path);
}

}  // namespace mlp
