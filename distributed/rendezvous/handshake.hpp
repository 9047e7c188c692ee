// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <sys/random.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/hmac.hpp"

/// How two ranks prove to each other that they know their group's secret, which
/// is not sent. The functions that read accept any bytes.
///
/// The rank that connects sends a hello with a random number, its nonce. The
/// rank that accepts answers with its own nonce and its proof, and the first
/// sends its proof. A proof is an HMAC of both nonces, both ranks, the size of
/// the group and the role, so that no proof can be used again, or by the other
/// side. Later messages are neither encrypted nor protected.
namespace mlp::distributed {

inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kProofBytes = 32;
inline constexpr std::size_t kSecretBytes = 32;

/// Returns random bytes that nobody can guess.
///
/// \pre    size <= 256
/// \throws ResourceError if the system has none
[[nodiscard]] inline std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    throw ResourceError(std::string("random bytes cannot be read: ") +
                        std::strerror(errno));
  }
  return bytes;
}

/// Who connects to whom.
struct Hello {
  int connector = 0;  ///< the rank that connects
  int acceptor = 0;   ///< the rank that it connects to
  int world_size = 0;
  std::string nonce;  ///< of the connector  [kNonceBytes]
};

namespace detail {

inline constexpr std::string_view kHelloStart = "mlp gloo 4 hello\n";

inline void append_number(std::string& text, int number) {
  const auto bits = static_cast<std::uint32_t>(number);
  for (int shift = 0; shift < 32; shift += 8) {
    text += static_cast<char>(bits >> shift & 0xFF);
  }
}

/// \pre bytes.size() >= 4
inline int take_number(std::string_view& bytes) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]))
            << 8 * i;
  }
  bytes.remove_prefix(4);
  return static_cast<int>(bits);
}

inline std::string format_place(const Hello& hello) {
  std::string text;
  for (const int number : {hello.connector, hello.acceptor, hello.world_size}) {
    append_number(text, number);
  }
  return text;
}

}  // namespace detail

inline constexpr std::size_t kHelloBytes =
    detail::kHelloStart.size() + 3 * 4 + kNonceBytes;

/// \return [kHelloBytes]
[[nodiscard]] inline std::string format_hello(const Hello& hello) {
  return std::string(detail::kHelloStart) + detail::format_place(hello) +
         hello.nonce;
}

/// Returns nothing if the bytes are no hello. Its numbers may be wrong.
[[nodiscard]] inline std::optional<Hello> parse_hello(std::string_view bytes) {
  if (bytes.size() != kHelloBytes || !bytes.starts_with(detail::kHelloStart)) {
    return std::nullopt;
  }
  bytes.remove_prefix(detail::kHelloStart.size());
  Hello hello;
  hello.connector = detail::take_number(bytes);
  hello.acceptor = detail::take_number(bytes);
  hello.world_size = detail::take_number(bytes);
  hello.nonce = bytes;
  return hello;
}

/// The side that proves.
enum class ProofRole { kConnector, kAcceptor };

/// \return [kProofBytes]
[[nodiscard]] inline std::string make_proof(const std::string& secret,
                                            ProofRole role, const Hello& hello,
                                            std::string_view acceptor_nonce) {
  std::string message = "mlp gloo 4 proof of the ";
  message += role == ProofRole::kConnector ? "connector\n" : "acceptor\n";
  message += detail::format_place(hello) + hello.nonce;
  message += acceptor_nonce;
  const Sha256::Digest digest = hmac_sha256(secret, message);
  return {digest.begin(), digest.end()};
}

/// True if the bytes prove that the other side knows the secret.
[[nodiscard]] inline bool is_proof(std::string_view bytes,
                                   const std::string& secret, ProofRole role,
                                   const Hello& hello,
                                   std::string_view acceptor_nonce) {
  if (bytes.size() != kProofBytes || secret.size() != kSecretBytes)
    return false;
  const std::string expected = make_proof(secret, role, hello, acceptor_nonce);
  Sha256::Digest a{};
  Sha256::Digest b{};
  std::memcpy(a.data(), bytes.data(), a.size());
  std::memcpy(b.data(), expected.data(), b.size());
  return is_same_digest(a, b);
}

}  // namespace mlp::distributed
