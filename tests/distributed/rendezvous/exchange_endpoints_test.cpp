// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/exchange_endpoints.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

/// A rendezvous whose answer is given.
class GivenTexts final : public Rendezvous {
 public:
  explicit GivenTexts(std::vector<std::string> texts)
      : texts_(std::move(texts)) {}

  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override {
    return static_cast<int>(texts_.size());
  }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    texts_.front() = text;
    return texts_;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

TEST_SUITE("distributed/rendezvous/exchange_endpoints") {
  TEST_CASE("gives the endpoints of all ranks by rank") {
    GivenTexts rendezvous({"", format_endpoint({"127.0.0.1", 7002})});

    const auto endpoints = exchange_endpoints(rendezvous, {"127.0.0.1", 7001});

    CHECK(endpoints.size() == 2);
    CHECK(endpoints[0].text() == "127.0.0.1:7001");
    CHECK(endpoints[1].text() == "127.0.0.1:7002");
  }

  TEST_CASE("passes on why a rank cannot join") {
    GivenTexts rendezvous({"", format_excuse("has no port")});

    CHECK_THROWS_WITH_AS(exchange_endpoints(rendezvous, {"127.0.0.1", 7001}),
                         "rank 1: cannot join: has no port",
                         CommunicationError);
  }

  TEST_CASE("refuses a text that is no endpoint") {
    GivenTexts rendezvous({"", "hello"});

    CHECK_THROWS_WITH_AS(
        exchange_endpoints(rendezvous, {"127.0.0.1", 7001}),
        "rank 1: must send the address and port at which it listens; got a "
        "text of 5 bytes; run the same build everywhere",
        CommunicationError);
  }
}

}  // namespace mlp::distributed
