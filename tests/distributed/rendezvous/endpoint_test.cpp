// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/endpoint.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::distributed {

TEST_SUITE("distributed/rendezvous/endpoint") {
  TEST_CASE("reads what it has written, of both families") {
    for (const char* const address : {"10.0.0.1", "fe80::1", "127.0.0.1"}) {
      const auto read = parse_endpoint(format_endpoint({address, 65535}));

      REQUIRE(read);
      CHECK(read->address == address);
      CHECK(read->port == 65535);
    }
  }

  TEST_CASE("writes an address and a port as people do") {
    CHECK(Endpoint{"10.0.0.1", 80}.text() == "10.0.0.1:80");
    CHECK(Endpoint{"fe80::1", 80}.text() == "[fe80::1]:80");
  }

  TEST_CASE("reads nothing that cannot be connected to") {
    const std::string good = format_endpoint({"10.0.0.1", 443});
    for (std::size_t size = 0; size + 3 < good.size(); ++size) {
      CHECK(!parse_endpoint(good.substr(0, size)));
    }
    CHECK(!parse_endpoint(good + ' '));
    CHECK(!parse_endpoint(format_endpoint({"host", 443})));
    CHECK(!parse_endpoint(format_endpoint({"0.0.0.0", 443})));
    CHECK(!parse_endpoint(format_endpoint({"10.0.0.1", 0})));
    CHECK(!parse_endpoint(format_endpoint({"10.0.0.1", -1})));
    CHECK(!parse_endpoint(format_endpoint({"10.0.0.1", 65536})));
  }
}

}  // namespace mlp::distributed
