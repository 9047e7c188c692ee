// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/types.hpp"
#include "document_builder.hpp"
#include "json_sax.hpp"
#include "json_writer.hpp"
#include "model_checksum.hpp"
#include "model_document.hpp"
#include "model_document_check.hpp"
#include "model_json.hpp"
#include "weights_cut.hpp"

namespace mlp {

namespace detail {

/// Refuses a text that starts with anything but white space and '{'. nlohmann's
/// parser skips a byte order mark.
inline void check_start(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw ModelError(file + ":1:1",
                     "the JSON text starts with a byte order mark; expected "
                     "'{': save the file as UTF-8 without it");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] == '{') return;
  throw ModelError(
      file + text_position(text, first),
      "the file is not a model; expected '{', got " + shown_byte(text[first]));
}

/// Refuses zero bytes, which nlohmann's parser treats as the end.
inline void check_zeros(std::string_view text, const std::string& file) {
  const std::size_t zero = text.find('\0');
  if (zero == text.npos) return;
  throw ModelError(
      file + text_position(text, zero),
      "the JSON text is malformed at byte 0x00; write the file again");
}

}  // namespace detail

std::string to_json(const ModelDocument& document,
                    std::optional<WeightsEncoding> encoding,
                    const std::string& file) {
  check_model_document(document, file);
  const Vector& weights = document.model.weights();
  if (!encoding) encoding = detail::default_encoding(weights.size());
  const std::string tail =
      "},\n  \"training\": " + detail::json_training(document) +
      ",\n  \"selfTest\": " + detail::json_self_test(document.self_test) +
      ",\n";
  std::string text = detail::json_head(document, *encoding);
  // Growing a large text would copy it.
  text.reserve(text.size() +
               detail::most_weights_bytes(weights.size(), *encoding) +
               tail.size() + detail::kChecksumBytes);
  advise_huge_pages(text.data(), text.capacity());
  detail::append_weights(text, weights, *encoding);
  text += tail;
  text.replace(text.find(detail::kEmptyUid), detail::kEmptyUid.size(),
               model_uid(text));
  append_checksum(text);
  return text;
}

ModelDocument from_json(std::string_view text, const std::string& file) try {
  detail::check_start(text, file);
  detail::check_zeros(text, file);
  detail::ParsedModel parsed;
  auto cut = detail::cut_weights(text);
  detail::ModelJsonSax sax(text, file, parsed, cut ? &*cut : nullptr);
  if (cut) {
    nlohmann::json::sax_parse(cut->rest_of(text), &sax);
    parsed.weights = std::move(cut->numbers);
  } else {
    nlohmann::json::sax_parse(text, &sax);
  }
  ModelDocument document =
      detail::DocumentBuilder(std::move(parsed), file).build();
  check_checksum(text, file, document.identity.sha256);
  return document;
} catch (const std::bad_alloc&) {
  throw ResourceError(file, "is too large for the memory that is left");
} catch (const std::length_error&) {
  throw ResourceError(file, "is too large for the memory that is left");
}

void save_model(const std::string& path, const ModelDocument& document,
                std::optional<WeightsEncoding> encoding) {
  write_atomically<ResourceError>(path, to_json(document, encoding, path));
}

ModelDocument load_model(const std::string& path) {
  const auto check = [&](std::string_view start) {
    detail::check_start(start, path);
  };
  return from_json(read_file<ModelError>(path, check), path);
}

}  // namespace mlp
