// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Saves and loads model files, and converts models to and from JSON.

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../core/error.hpp"
#include "model_file/json_reader.hpp"
#include "model_file/json_writer.hpp"
#include "model_file/model_document.hpp"

namespace mlp {

/// Writes a document as JSON. Equal documents give equal bytes.
///
/// \param encoding  none: write_model_json() chooses
/// \throws ModelError naming the first value that a model file cannot hold, for
///         example a weight that is not finite
[[nodiscard]] inline std::string to_json(
    const ModelDocument& document,
    std::optional<WeightsEncoding> encoding = std::nullopt) {
  return write_model_json(document, "model", encoding);
}

/// Reads a document from JSON.
///
/// \param file  the name of the file in error messages
/// \throws ModelError as read_model_json() does; ResourceError if memory runs
///         out
[[nodiscard]] inline ModelDocument from_json(std::string_view text,
                                             const std::string& file) try {
  return read_model_json(text, file);
} catch (const std::bad_alloc&) {
  throw ResourceError(file, "is too large for the memory that is left");
} catch (const std::length_error&) {
  throw ResourceError(file, "is too large for the memory that is left");
}

/// Saves a model file. The file is replaced as a whole or not at all.
///
/// \param encoding  none: write_model_json() chooses
/// \throws ModelError naming the first value that a model file cannot hold;
///         ResourceError if the path cannot be written, or memory runs out. An
///         existing file then stays unchanged.
inline void save_model(const std::string& path, const ModelDocument& document,
                       std::optional<WeightsEncoding> encoding = std::nullopt) {
  write_model_file(path, document, encoding);
}

/// Loads a model file.
///
/// \throws ModelError if the file is missing or is not a valid model of
///         version 1 or 2, naming line and column or the JSON path;
///         ResourceError if memory or file handles run out
[[nodiscard]] inline ModelDocument load_model(const std::string& path) try {
  return read_model_file(path);
} catch (const std::bad_alloc&) {
  throw ResourceError(path, "is too large for the memory that is left");
} catch (const std::length_error&) {
  throw ResourceError(path, "is too large for the memory that is left");
}

}  // namespace mlp
