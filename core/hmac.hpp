// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "sha256.hpp"

/// Proofs that a message comes from a process that knows a secret.
namespace mlp {

/// Computes HMAC-SHA-256 of a message with a key of any length.
///
/// \source Krawczyk, Bellare and Canetti 1997, RFC 2104, section 2
[[nodiscard]] inline Sha256::Digest hmac_sha256(std::string_view key,
                                                std::string_view message) {
  using Block = std::array<char, detail::kSha256BlockBytes>;
  const auto copy = [](const auto& bytes, Block& to) {
    std::transform(bytes.begin(), bytes.end(), to.begin(),
                   [](auto byte) { return static_cast<char>(byte); });
  };
  Block padded_key{};
  if (key.size() > padded_key.size()) {
    Sha256 hash;
    hash.update(key);
    copy(hash.digest(), padded_key);
  } else {
    copy(key, padded_key);
  }
  const auto digest_of = [&padded_key](int mask, std::string_view text) {
    Block masked = padded_key;
    for (char& byte : masked) byte = static_cast<char>(byte ^ mask);
    Sha256 hash;
    hash.update({masked.data(), masked.size()});
    hash.update(text);
    return hash.digest();
  };
  constexpr int kInnerMask = 0x36;
  constexpr int kOuterMask = 0x5C;
  const Sha256::Digest inner = digest_of(kInnerMask, message);
  return digest_of(kOuterMask,
                   {reinterpret_cast<const char*>(inner.data()), inner.size()});
}

/// Compares two digests in a time that does not depend on where they differ, so
/// that nobody can guess a proof byte by byte.
[[nodiscard]] inline bool is_same_digest(const Sha256::Digest& a,
                                         const Sha256::Digest& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

}  // namespace mlp
