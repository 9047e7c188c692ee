// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/numeric_address.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"

namespace mlp::distributed {

TEST_SUITE("distributed/rendezvous/numeric_address") {
  TEST_CASE("finds a loopback address in every notation") {
    for (const char* const address :
         {"127.0.0.1", "127.1.2.3", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1",
          "::ffff:127.0.0.1", "::FFFF:7f01:203"}) {
      CAPTURE(address);
      CHECK(kind_of_address(address) == AddressKind::kLoopback);
    }
  }

  TEST_CASE("finds an address of all interfaces in every notation") {
    for (const char* const address :
         {"0.0.0.0", "::", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"}) {
      CAPTURE(address);
      CHECK(kind_of_address(address) == AddressKind::kAny);
    }
  }

  TEST_CASE("tells addresses of a network from what is none") {
    for (const char* const address :
         {"10.0.0.1", "128.0.0.1", "126.255.255.255", "fe80::1", "::2",
          "::ffff:10.0.0.1"}) {
      CAPTURE(address);
      CHECK(kind_of_address(address) == AddressKind::kNetwork);
    }
    for (const std::string& address :
         {std::string(), std::string("localhost"), std::string("127.1"),
          std::string("10.0.0.1 "), std::string("10.0.0.256"),
          std::string("10.0.0.1\0x", 10)}) {
      CAPTURE(address);
      CHECK(kind_of_address(address) == AddressKind::kNotNumeric);
    }
  }

  TEST_CASE("refuses what does not name one interface of this machine") {
    CHECK_NOTHROW(check_address("127.0.0.1"));
    CHECK_NOTHROW(check_address("10.0.0.1"));
    for (const char* const address : {"::0", "0.0.0.0", "host"}) {
      CHECK_THROWS_WITH_AS(
          check_address(address),
          ("the address of a rank must be the numeric IPv4 or IPv6 address of "
           "one of its interfaces; got \"" +
           std::string(address) +
           "\"; give the one that the other ranks can reach")
              .c_str(),
          ParamError);
    }
  }
}

}  // namespace mlp::distributed
