// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../../distributed/rendezvous/rank_identity.hpp"

namespace mlp::distributed {

TEST_SUITE("distributed/rendezvous/local_machine") {
  TEST_CASE("names the boot and the network of this process") {
    const std::string id = machine_id();

    CHECK(id == machine_id());
    CHECK(id.find('/') == 36);  // the letters of a boot's name
    CHECK(id.find('\n') == std::string::npos);
  }

  TEST_CASE("finds an address that is no loopback address, or none") {
    const std::string address = default_route_address();

    CHECK(
        (address.empty() || kind_of_address(address) == AddressKind::kNetwork));
  }

  TEST_CASE("finds the loopback address on the way to this machine") {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_port = htons(9);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    CHECK(detail::address_towards(reinterpret_cast<const sockaddr*>(&here),
                                  sizeof here) == "127.0.0.1");
  }
}

}  // namespace mlp::distributed
