// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../../core/sha256.hpp"

namespace mlp {

namespace detail {

/// The number of bytes, from the start on, that no JSON token ends at: no white
/// space, quote, bracket or brace; commas count as plain. May stop early.
///
/// \cost vectorised by the compiler: block by block, no branch in a block
inline std::size_t count_plain_bytes(std::string_view text) {
  constexpr std::size_t kBlockBytes = 64;
  std::size_t at = 0;
  for (; at + kBlockBytes <= text.size(); at += kBlockBytes) {
    unsigned char num_special = 0;
    for (std::size_t i = at; i < at + kBlockBytes; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      const auto folded = static_cast<unsigned char>(byte | 0x20);
      num_special |= static_cast<unsigned char>(
          (byte <= ' ') | (byte == '"') | (folded == '{') | (folded == '}'));
    }
    if (num_special != 0) break;
  }
  return std::min(text.find_first_of(" \t\n\r\"{}[]", at), text.size());
}

/// Feeds the compact form of a JSON object, less some members, to a hash.
class CompactHasher {
 public:
  CompactHasher(std::string_view text,
                std::initializer_list<std::string_view> omitted)
      : text_(text), omitted_(omitted) {}

  std::string hex() {
    while (at_ < text_.size()) take_token();
    hash_.update(run_);
    return hash_.hex();
  }

 private:
  void take_token() {
    switch (text_[at_]) {
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        ++at_;
        return;
      case '"':
        return take_string();
      case '{':
      case '[':
        ++depth_;
        is_key_next_ = depth_ == 1;
        return emit(1);
      case '}':
      case ']':
        --depth_;
        if (depth_ == 0) is_kept_ = true;
        return emit(1);
      case ',':
        if (depth_ != 1) return emit(1);
        // A comma belongs to the member after it, if that one is kept.
        is_key_next_ = true;
        ++at_;
        return;
      default:
        return emit(count_token_bytes());
    }
  }

  /// The bytes up to the next token that matters. Where members have ended,
  /// commas do not.
  [[nodiscard]] std::size_t count_token_bytes() const {
    if (depth_ != 1) return count_plain_bytes(text_.substr(at_));
    return std::min(text_.find_first_of(" \t\n\r\"{}[],", at_), text_.size()) -
           at_;
  }

  /// True where an odd number of backslashes stands before a byte of a string.
  [[nodiscard]] bool is_escaped(std::size_t at) const {
    std::size_t first = at;
    while (text_[first - 1] == '\\') --first;
    return (at - first) % 2 == 1;
  }

  void take_string() {
    std::size_t end = text_.find('"', at_ + 1);
    while (end < text_.size() && is_escaped(end))
      end = text_.find('"', end + 1);
    end = std::min(end, text_.size() - 1);
    const std::size_t size = end + 1 - at_;
    if (is_key_next_) {
      is_key_next_ = false;
      start_member(text_.substr(at_, size));
    }
    emit(size);
  }

  /// \param key  with its quotes
  void start_member(std::string_view key) {
    is_kept_ = std::none_of(omitted_.begin(), omitted_.end(),
                            [&](std::string_view name) {
                              return key.size() == name.size() + 2 &&
                                     key.substr(1, name.size()) == name;
                            });
    if (!is_kept_) return;
    if (has_member_) {
      hash_.update(run_);
      hash_.update(",");
      run_ = {};
    }
    has_member_ = true;
  }

  /// Takes the next bytes of the text; those that count extend the run that
  /// goes to the hash at once, or start another.
  void emit(std::size_t size) {
    const char* const first = text_.data() + at_;
    at_ += size;
    if (!is_kept_) return;
    if (run_.data() + run_.size() == first) {
      run_ = {run_.data(), run_.size() + size};
      return;
    }
    hash_.update(run_);
    run_ = {first, size};
  }

  std::string_view text_;
  std::vector<std::string_view> omitted_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool is_key_next_ = false;
  bool is_kept_ = true;
  bool has_member_ = false;
  std::string_view run_;  // part of text_ that the hash has not seen yet
  Sha256 hash_;
};

}  // namespace detail

/// Computes SHA-256 of a JSON object in compact form without some of its
/// members.
///
/// Compact means without white space outside strings; everything else, the
/// order of the members and the text of numbers and strings included, counts as
/// it is written. An omitted member goes with one comma.
/// \param text     one JSON object, already known to be well-formed; for other
///                 text the result means nothing
/// \param omitted  names of members of the outermost object, as written,
///                 without escapes
/// \return 64 lower-case hexadecimal digits
[[nodiscard]] inline std::string hash_compact_json(
    std::string_view text, std::initializer_list<std::string_view> omitted) {
  return detail::CompactHasher(text, omitted).hex();
}

/// The hash that stands under sha256.
[[nodiscard]] inline std::string hash_model_json(std::string_view text) {
  return hash_compact_json(text, {"sha256"});
}

/// Starts to compute hash_model_json(text): at once on a thread of its own where
/// the text is long, else when the result is asked for.
///
/// \param text  must outlive the result
[[nodiscard]] inline std::future<std::string> start_model_json_hash(
    std::string_view text) {
  constexpr std::size_t kLeastBytes = std::size_t{1} << 20;
  if (text.size() >= kLeastBytes) {
    try {
      return std::async(std::launch::async, hash_model_json, text);
    } catch (const std::system_error&) {
      // The machine gives no thread.
    }
  }
  return std::async(std::launch::deferred, hash_model_json, text);
}

/// The name that stands under uid: the same content gives the same one,
/// whatever version wrote it.
[[nodiscard]] inline std::string model_json_uid(std::string_view text) {
  return "mlpc_" +
         hash_compact_json(text, {"producer", "uid", "sha256"}).substr(0, 12);
}

}  // namespace mlp
