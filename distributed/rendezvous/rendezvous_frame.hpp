// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "socket.hpp"

namespace mlp::distributed {

/// What TcpRendezvous sends: a header, then size bytes of text.
enum class FrameKind : std::uint32_t {
  kGreeting = 1,  ///< I am this rank; size is the world size, no text follows
  kWelcome = 2,   ///< all are here; no text follows
  kRefusal = 3,   ///< you are none of us, because
  kText = 4,      ///< this rank's text
  kFailure = 5,   ///< the group has failed; rank is the one to blame, or none
};

/// The header of a frame.
struct FrameHeader {
  static constexpr std::size_t kBytes = 24;
  /// Its last letter is the version.
  static constexpr std::string_view kMagic = "mlpmeet1";
  static constexpr std::uint32_t kNobody = 0xffffffff;

  FrameKind kind = FrameKind::kGreeting;
  std::uint32_t rank = 0;
  std::uint64_t size = 0;

  /// Writes it, little-endian on every machine.
  [[nodiscard]] std::array<char, kBytes> bytes() const {
    std::array<char, kBytes> to{};
    kMagic.copy(to.data(), kMagic.size());
    write(to.data() + 8, static_cast<std::uint32_t>(kind), 4);
    write(to.data() + 12, rank, 4);
    write(to.data() + 16, size, 8);
    return to;
  }

  /// Tells whether bytes begin with our magic, version aside.
  [[nodiscard]] static bool is_ours(const std::array<char, kBytes>& bytes) {
    const std::string_view name = kMagic.substr(0, kMagic.size() - 1);
    return std::string_view(bytes.data(), name.size()) == name;
  }

  /// Tells whether bytes are of our version, too.
  [[nodiscard]] static bool is_our_version(
      const std::array<char, kBytes>& bytes) {
    return std::string_view(bytes.data(), kMagic.size()) == kMagic;
  }

  /// Reads what bytes() wrote.
  ///
  /// \pre is_our_version(bytes)
  [[nodiscard]] static FrameHeader read(const std::array<char, kBytes>& bytes) {
    FrameHeader header;
    header.kind = static_cast<FrameKind>(read(bytes.data() + 8, 4));
    header.rank = static_cast<std::uint32_t>(read(bytes.data() + 12, 4));
    header.size = read(bytes.data() + 16, 8);
    return header;
  }

 private:
  static void write(char* to, std::uint64_t number, int num_bytes) {
    for (int i = 0; i < num_bytes; ++i) {
      to[i] = static_cast<char>((number >> (8 * i)) & 0xff);
    }
  }

  static std::uint64_t read(const char* from, int num_bytes) {
    std::uint64_t number = 0;
    for (int i = 0; i < num_bytes; ++i) {
      number |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    }
    return number;
  }
};

/// Sends a frame.
inline Transfer send_frame(Socket& socket, FrameKind kind, std::uint32_t rank,
                           const std::string& text, Deadline deadline) {
  const auto bytes = FrameHeader{kind, rank, text.size()}.bytes();
  const Transfer transfer = socket.send(bytes.data(), bytes.size(), deadline);
  if (transfer != Transfer::kDone) return transfer;
  return socket.send(text.data(), text.size(), deadline);
}

/// Receives a frame that is not longer than it may be; another counts as a
/// connection that is lost.
///
/// \param[out] header  as sent
/// \param[out] text    as sent
inline Transfer receive_frame(Socket& socket, std::size_t max_text_bytes,
                              FrameHeader& header, std::string& text,
                              Deadline deadline) {
  std::array<char, FrameHeader::kBytes> bytes{};
  const Transfer transfer =
      socket.receive(bytes.data(), bytes.size(), deadline);
  if (transfer != Transfer::kDone) return transfer;
  if (!FrameHeader::is_our_version(bytes)) return Transfer::kClosed;
  header = FrameHeader::read(bytes);
  if (header.size > max_text_bytes) return Transfer::kClosed;
  text.resize(header.size);
  return socket.receive(text.data(), text.size(), deadline);
}

}  // namespace mlp::distributed
