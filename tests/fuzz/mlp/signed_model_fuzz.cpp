// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads model files whose checksum is right, scores a row, and saves and reads
// the model again.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "../../../core/types.hpp"
#include "../../../mlp/model/model.hpp"
#include "../../../mlp/model_file/model_checksum.hpp"
#include "../../../mlp/model_json.hpp"
#include "../outcome.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

namespace mlp::fuzz {

namespace {

constexpr std::array<std::string_view, 22> kNumbers{
    "0",          "-0",
    "1",          "-1",
    "2",          "3",
    "0.5",        "1e308",
    "-1e308",     "1e-320",
    "1e400",      "127",
    "256",        "257",
    "1048576",    "1048577",
    "2147483647", "2147483648",
    "4294967296", "9223372036854775807",
    "1.0",        "18446744073709551616"};

/// Replaces one number of a text, the first after a random place.
void replace_number(std::string& text, std::minstd_rand& random) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t from = random() % (text.size() + 1);
  const std::size_t begin = text.find_first_of(kDigits, from);
  if (begin == std::string::npos) return;
  const std::size_t end =
      std::min(text.find_first_not_of("0123456789.eE+-", begin), text.size());
  text.replace(begin, end - begin, kNumbers[random() % kNumbers.size()]);
}

Matrix score(const ModelDocument& document) {
  const Model& model = document.model;
  const Vector row = Vector::LinSpaced(model.num_features(), -1.0, 2.0);
  Matrix scores = model.predict_raw(row);
  require(scores.rows() == model.num_classes(), "a score for each class");
  static_cast<void>(model.predict(row));
  return scores;
}

bool has_same_bits(const Matrix& a, const Matrix& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(),
                     static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

/// Saves a model and reads it again.
ModelDocument copy(const ModelDocument& document,
                   std::optional<WeightsEncoding> encoding) {
  return from_json(to_json(document, encoding, "copy.json"), "copy.json");
}

void check_round_trip(const ModelDocument& document) {
  const std::string text = to_json(document, {}, "copy.json");
  const Matrix scores = score(document);
  for (const WeightsEncoding encoding :
       {WeightsEncoding::kDecimal, WeightsEncoding::kBase64}) {
    const ModelDocument again = copy(document, encoding);
    require(to_json(again, {}, "copy.json") == text, "the same text");
    require(has_same_bits(score(again), scores), "the same scores");
  }
}

}  // namespace

}  // namespace mlp::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  using namespace mlp;
  std::minstd_rand random(seed);
  const std::size_t end_bytes = detail::kChecksumBytes + 1;
  if (max_size < 2 * end_bytes) return LLVMFuzzerMutate(data, size, max_size);
  const auto covered =
      checksummed_bytes({reinterpret_cast<const char*>(data), size});
  size = std::min(covered ? covered->size() : size, max_size - end_bytes);
  if (random() % 2 != 0)
    size = LLVMFuzzerMutate(data, size, max_size - end_bytes);
  std::string text(reinterpret_cast<const char*>(data), size);
  if (random() % 2 != 0) fuzz::replace_number(text, random);
  text.resize(std::min(text.size(), max_size - end_bytes));
  if (!text.ends_with('\n')) text += '\n';
  append_checksum(text);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document =
      mlp::fuzz::outcome_of([&] { return mlp::from_json(text, "model.json"); });
  if (document.value) mlp::fuzz::check_round_trip(*document.value);
  return 0;
}
