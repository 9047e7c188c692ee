// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/files/file_replacement.hpp"
#include "../../core/json_text.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/sha256_thread.hpp"
#include "../../core/types.hpp"
#include "../../core/version.hpp"
#include "json_members.hpp"
#include "json_values.hpp"
#include "json_weights.hpp"
#include "json_writer.hpp"
#include "model_checksum.hpp"
#include "model_document.hpp"
#include "model_document_check.hpp"

namespace mlp {

namespace detail {

/// Writes the outermost object, one member to a line.
class JsonLines {
 public:
  void add(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? "{\n  \"" : ",\n  \"";
    text_ += name;
    text_ += "\": ";
    text_ += json;
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

inline constexpr std::string_view kEmptyUid = "mlpc_000000000000";

/// Writes the lines of a document from the first to the numbers of the weights, in
/// the fixed order of its members. The digits of uid are zeros.
inline std::string json_head(const ModelDocument& document,
                             WeightsEncoding encoding) {
  const Model& model = document.model;
  JsonLines lines;
  lines.add("format", json_string(kModelFormat));
  const bool is_spark = model.topology().is_spark();
  const bool is_first_version = is_spark && has_spark_params(document.params) &&
                                model.input_columns().empty() &&
                                model.input_rules() == datasets::InputRules();
  lines.add("formatVersion",
            std::to_string(is_first_version ? kSparkFormatVersion
                                            : kModelFormatVersion));
  lines.add("producer", json_string("mlp " + std::string(kVersion)));
  lines.add("uid", json_string(kEmptyUid));
  if (is_spark) lines.add("sparkClass", json_string(kModelSparkClass));
  lines.add("params", json_params(document.params));
  lines.add("layers",
            json_array(model.layers(), [](std::string& json, Index size) {
              json += std::to_string(size);
            }));
  lines.add("activation", json_string(activation_names(model.topology())));
  if (!is_spark) lines.add("network", json_network(model));
  lines.add("input", json_input(model));
  if (!model.label_names().empty()) {
    lines.add("labels", json_strings(model.label_names()));
  }
  if (!model.thresholds().empty()) {
    lines.add("thresholds", json_numbers(model.thresholds()));
  }
  JsonObject weights;
  weights.add("layout", json_string(layout_name(model.topology())));
  weights.add("count", std::to_string(model.weights().size()));
  const bool is_decimal = encoding == WeightsEncoding::kDecimal;
  weights.add("encoding", is_decimal ? "\"decimal\"" : "\"base64\"");
  weights.add("data", "");
  lines.add("weights", weights.text());
  std::string text = lines.take();
  text.resize(text.rfind('}'));
  return text;
}

/// Writes what follows the numbers of the weights, before the line of sha256.
inline std::string json_tail(const ModelDocument& document) {
  return "},\n  \"training\": " + json_training(document) +
         ",\n  \"selfTest\": " + json_self_test(document.self_test) + ",\n";
}

/// The text of a model file, of which every part can be used while the next one is
/// made.
class ModelText {
 public:
  ModelText(const ModelDocument& document, WeightsEncoding encoding)
      : weights_(document.model.weights()),
        encoding_(encoding),
        tail_(json_tail(document)),
        text_(json_head(document, encoding)) {
    // The bytes must not move while their hash is computed.
    text_.reserve(text_.size() + most_weights_bytes(weights_.size(), encoding) +
                  tail_.size() + kChecksumBytes);
    advise_huge_pages(text_.data(), text_.capacity());
  }

  /// Makes all lines before the line of sha256. The digits of uid are zeros.
  ///
  /// \param on_growth  called with the bytes so far, which stay where they are
  template <typename OnGrowth>
  void make_lines(OnGrowth on_growth) {
    hash_uid_lines(hash_, text_);
    std::size_t hashed = text_.size();
    const auto grow = [&] {
      const std::string_view text = text_;
      hash_.update(text.substr(hashed));
      hashed = text.size();
      on_growth(text);
    };
    append_weights(text_, weights_, encoding_, grow);
    text_ += tail_;
    grow();
  }

  /// Sets the uid and appends the line of sha256.
  void finish() {
    const std::string uid = uid_of_hash(hash_.hex());
    text_.replace(uid_at(), uid.size(), uid);
    append_checksum(text_);
  }

  /// The first byte of the uid.
  [[nodiscard]] std::size_t uid_at() const { return text_.find("mlpc_"); }

  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  const Vector& weights_;
  WeightsEncoding encoding_;
  std::string tail_;
  std::string text_;
  Sha256Thread hash_;  // ends before the text does
};

/// Chooses an encoding if none is given.
inline WeightsEncoding encoding_of(const ModelDocument& document,
                                   std::optional<WeightsEncoding> encoding) {
  return encoding.value_or(default_encoding(document.model.weights().size()));
}

/// Starts to flush a file to the disk beside other work, or does it when the
/// result is asked for if no thread can be started.
inline std::future<void> start_sync(FileReplacement<ResourceError>& file) {
  const auto sync = [&file] { file.sync(); };
  try {
    return std::async(std::launch::async, sync);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, sync);
  }
}

/// Saves a model with many weights: each part is hashed and stored while the next
/// one is made, and the disk works while the checksum is computed.
inline void write_large_model(const std::string& path,
                              const ModelDocument& document,
                              WeightsEncoding encoding) {
  FileReplacement<ResourceError> file(path);
  ModelText lines(document, encoding);
  std::size_t num_written = 0;
  lines.make_lines([&](std::string_view text) {
    file.write(text.substr(num_written));
    num_written = text.size();
  });
  std::future<void> sync = start_sync(file);
  lines.finish();
  sync.get();
  file.overwrite(lines.uid_at(),
                 lines.text().substr(lines.uid_at(), kEmptyUid.size()));
  file.write(lines.text().substr(num_written));
  file.take_place();
}

}  // namespace detail

std::string write_model_json(const ModelDocument& document,
                             const std::string& file,
                             std::optional<WeightsEncoding> encoding) {
  check_model_document(document, file);
  detail::ModelText lines(document, detail::encoding_of(document, encoding));
  lines.make_lines([](std::string_view) {});
  lines.finish();
  return lines.take();
}

void write_model_file(const std::string& path, const ModelDocument& document,
                      std::optional<WeightsEncoding> encoding) {
  constexpr Index kLeastWeights = 100'000;
  const bool is_large = document.model.weights().size() >= kLeastWeights &&
                        !detail::is_device_or_pipe(path);
  if (!is_large) {
    return write_atomically<ResourceError>(
        path, write_model_json(document, path, encoding));
  }
  check_model_document(document, path);
  detail::write_large_model(path, document,
                            detail::encoding_of(document, encoding));
}

}  // namespace mlp
