// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "document_builder.hpp"
#include "json_members.hpp"
#include "json_reader.hpp"
#include "json_sax.hpp"
#include "json_source.hpp"
#include "model_checksum.hpp"
#include "model_document.hpp"

namespace mlp {

namespace detail {

/// Reads the text of a model file.
///
/// \param reader  has received the text
inline ModelDocument read_model_text(std::string_view text,
                                     const std::string& file,
                                     ChecksumReader& reader) {
  check_bytes(text, file);
  ParsedModel parsed;
  ModelJsonSource source(text);
  ModelJsonSax sax(text, file, parsed, &source);
  nlohmann::json::sax_parse(source.begin(), source.end(), &sax);
  ModelDocument document = DocumentBuilder(std::move(parsed), file).build();
  check_checksum(text, file, document.identity.sha256, reader.checksum(text));
  return document;
}

/// Computes the checksum of a model file while it is read, and ends the reading at
/// the first byte that no model has: a device may have no end.
class ModelFileReader final : public ReadObserver {
 public:
  explicit ModelFileReader(const std::string& file) : file_(file) {}

  void on_read(std::string_view bytes) override {
    if (!has_start_) {
      check_bytes(bytes, file_);
      has_start_ = bytes.find('{') != bytes.npos;
    }
    checksum_.on_read(bytes);
  }

  void before_move() override { checksum_.before_move(); }

  [[nodiscard]] ChecksumReader& checksum() { return checksum_; }

 private:
  const std::string& file_;
  ChecksumReader checksum_;
  bool has_start_ = false;
};

}  // namespace detail

ModelDocument read_model_json(std::string_view text, const std::string& file) {
  ChecksumReader reader;
  reader.on_read(text);
  return detail::read_model_text(text, file, reader);
}

ModelDocument read_model_file(const std::string& path) {
  std::string text;  // outlives the reader
  detail::ModelFileReader reader(path);
  text = read_file<ModelError>(path, &reader);
  return detail::read_model_text(text, path, reader.checksum());
}

}  // namespace mlp
