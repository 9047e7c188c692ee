// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "../core/sha256.hpp"

namespace mlp {

namespace detail {

/// Feeds the compact form of a JSON object, less some members, to a hash.
class CompactHasher {
 public:
  CompactHasher(std::string_view text,
                std::initializer_list<std::string_view> omitted)
      : text_(text), omitted_(omitted) {}

  std::string hex() {
    while (at_ < text_.size()) take_token();
    hash_.update(pending_);
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
        return emit(
            std::min(text_.find_first_of(" \t\n\r\"{}[],", at_), text_.size()) -
            at_);
    }
  }

  void take_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    const std::size_t size = std::min(end + 1, text_.size()) - at_;
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
    if (has_member_) pending_ += ',';
    has_member_ = true;
  }

  /// Takes the next bytes of the text, and hands them on where they count.
  void emit(std::size_t size) {
    constexpr std::size_t kPendingBytes = 1u << 16;
    if (is_kept_) pending_.append(text_.substr(at_, size));
    at_ += size;
    if (pending_.size() < kPendingBytes) return;
    hash_.update(pending_);
    pending_.clear();
  }

  std::string_view text_;
  std::vector<std::string_view> omitted_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool is_key_next_ = false;
  bool is_kept_ = true;
  bool has_member_ = false;
  std::string pending_;
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

/// The name that stands under uid: the same content gives the same one,
/// whatever version wrote it.
[[nodiscard]] inline std::string model_json_uid(std::string_view text) {
  return "mlpc_" +
         hash_compact_json(text, {"producer", "uid", "sha256"}).substr(0, 12);
}

}  // namespace mlp
