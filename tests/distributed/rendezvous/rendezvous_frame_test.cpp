// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/rendezvous_frame.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <string>

namespace mlp::distributed {

namespace {

/// Long enough for what is there already.
constexpr double kSeconds = 5.0;

struct Ends {
  Socket left;
  Socket right;
};

Ends open_ends() {
  std::array<int, 2> descriptors{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors.data()) == 0);
  return {Socket(descriptors[0]), Socket(descriptors[1])};
}

}  // namespace

TEST_SUITE("distributed/rendezvous/rendezvous_frame") {
  TEST_CASE("writes the header little-endian and reads it again") {
    const FrameHeader header{FrameKind::kText, 0x01020304, 0x05};

    const auto bytes = header.bytes();
    const FrameHeader read = FrameHeader::read(bytes);

    const std::string expected("mlpmeet1\4\0\0\0\4\3\2\1\5\0\0\0\0\0\0\0", 24);
    CHECK(std::string(bytes.begin(), bytes.end()) == expected);
    CHECK(FrameHeader::is_our_version(bytes));
    CHECK(read.kind == FrameKind::kText);
    CHECK(read.rank == 0x01020304);
    CHECK(read.size == 5);
  }

  TEST_CASE("tells another version from strangers") {
    auto bytes = FrameHeader{}.bytes();
    bytes[7] = '2';

    CHECK(FrameHeader::is_ours(bytes));
    CHECK(!FrameHeader::is_our_version(bytes));

    bytes[0] = 'G';

    CHECK(!FrameHeader::is_ours(bytes));
  }

  TEST_CASE("carries a text with any bytes") {
    Ends ends = open_ends();
    const std::string text("\xff\0x", 3);
    FrameHeader header;
    std::string received;

    const Transfer sent = send_frame(ends.left, FrameKind::kText, 7, text,
                                     deadline_after(kSeconds));
    const Transfer got = receive_frame(ends.right, 3, header, received,
                                       deadline_after(kSeconds));

    CHECK(sent == Transfer::kDone);
    CHECK(got == Transfer::kDone);
    CHECK(header.rank == 7);
    CHECK(received == text);
  }

  TEST_CASE("takes no text that is longer than it may be") {
    Ends ends = open_ends();
    const auto bytes =
        FrameHeader{FrameKind::kText, 0, std::uint64_t{1} << 60}.bytes();
    FrameHeader header;
    std::string received;

    static_cast<void>(
        ends.left.send(bytes.data(), bytes.size(), deadline_after(kSeconds)));

    CHECK(receive_frame(ends.right, 1 << 20, header, received,
                        deadline_after(kSeconds)) == Transfer::kClosed);
    CHECK(received.empty());
  }
}

}  // namespace mlp::distributed
