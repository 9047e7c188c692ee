// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/rank_identity.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../thrown_message.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

const std::string kSecret(kSecretBytes, '\n');

RankIdentity rank_of(const std::string& machine, const std::string& given,
                     const std::string& route) {
  return {machine, given, route, ""};
}

/// Why ranks cannot get addresses.
std::string refusal_of(const std::vector<RankIdentity>& identities) {
  return test::thrown_message<CommunicationError>(
      [&] { return choose_addresses(identities); });
}

}  // namespace

TEST_SUITE("distributed/rendezvous/rank_identity") {
  TEST_CASE("reads what it has written, the secret of rank 0 too") {
    const RankIdentity first{"boot/1", "10.0.0.1", "", kSecret};
    const auto read = parse_identity(format_identity(first), 0);

    REQUIRE(read);
    CHECK(read->machine == first.machine);
    CHECK(read->given_address == first.given_address);
    CHECK(read->route_address == "");
    CHECK(read->secret == kSecret);
    CHECK(parse_identity(format_identity(rank_of("m", "", "::1")), 1));
  }

  TEST_CASE("reads no identity from other bytes") {
    const std::string bytes = format_identity({"boot/1", "", "", kSecret});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK(!parse_identity(bytes.substr(0, size), 0));
    }
    CHECK(!parse_identity(bytes, 1));  // only rank 0 has the secret
    CHECK(!parse_identity(format_identity(rank_of("m", "", "")), 0));
    CHECK(!parse_identity(format_identity(rank_of("m", "host", "")), 1));
    CHECK(!parse_identity(format_identity(rank_of("m", "", "host")), 1));
    CHECK(!parse_identity(
        format_identity(rank_of(std::string(5000, 'm'), "", "")), 1));
  }

  TEST_CASE("describes this machine, with another secret for each group") {
    const RankIdentity first = identify_rank(0, "10.0.0.1");

    CHECK(first.machine == machine_id());
    CHECK(first.given_address == "10.0.0.1");
    CHECK(first.secret.size() == kSecretBytes);
    CHECK(first.secret != identify_rank(0, "").secret);
    CHECK(identify_rank(1, "").secret.empty());
  }

  TEST_CASE("cuts an excuse that is too long or not text") {
    CHECK(parse_excuse(format_excuse("no plugin")) == "no plugin");
    CHECK(!parse_excuse("no plugin"));
    CHECK(parse_excuse(format_excuse(std::string(10000, 'x')))->size() == 4096);
    CHECK(parse_excuse(format_excuse("a\xFF")) == "a");
  }

  TEST_CASE("names the rank that cannot join or that sends something else") {
    CHECK_THROWS_WITH_AS(read_identities({format_excuse("no plugin")}),
                         "rank 0: cannot join: no plugin", CommunicationError);
    CHECK_THROWS_WITH_AS(
        read_identities(
            {format_identity({"m", "", "", kSecret}), "mlp gloo 2 x"}),
        "rank 1: must introduce itself to the other ranks as this build does; "
        "got a text of 12 bytes; run the same build everywhere",
        CommunicationError);
  }

  TEST_CASE("uses loopback addresses where all ranks are on one machine") {
    const std::vector<std::string> expected{"127.0.0.1", "10.0.0.9",
                                            "127.0.0.1"};
    CHECK(choose_addresses({rank_of("m", "", "10.0.0.1"),
                            rank_of("m", "10.0.0.9", "10.0.0.1"),
                            rank_of("m", "", "")}) == expected);
  }

  TEST_CASE("uses the default route or what was given on several machines") {
    const std::vector<std::string> expected{"10.0.0.1", "10.0.0.9", "10.0.0.3"};
    CHECK(choose_addresses({rank_of("m", "", "10.0.0.1"),
                            rank_of("m", "10.0.0.9", "10.0.0.1"),
                            rank_of("n", "", "10.0.0.3")}) == expected);
    // A machine that the system does not name may be any.
    CHECK(choose_addresses({rank_of("", "", "10.0.0.1"),
                            rank_of("", "", "10.0.0.2")})[1] == "10.0.0.2");
  }

  TEST_CASE("names a rank that ranks on other machines cannot reach") {
    const std::string sentence =
        "rank 1: must listen at an address that the ranks on other machines "
        "can reach; ";
    const std::string advice =
        "; give each rank the address of its machine, by --address or "
        "GlooOptions::address";
    const RankIdentity here = rank_of("m", "", "10.0.0.1");

    CHECK(refusal_of({here, rank_of("n", "", "")}) ==
          sentence + "its machine has no default route" + advice);
    for (const char* const loopback :
         {"127.1.2.3", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"}) {
      CHECK(refusal_of({here, rank_of("n", loopback, "10.0.0.2")}) ==
            sentence + "got a loopback address" + advice);
    }
  }

  TEST_CASE("excuses a rank to the others and keeps errors to itself") {
    class Gone final : public Rendezvous {
     public:
      [[nodiscard]] int rank() const override { return 0; }
      [[nodiscard]] int world_size() const override { return 2; }
      [[nodiscard]] std::vector<std::string> all_gather(
          const std::string& text) override {
        told = text;
        throw ResourceError("the folder is gone");
      }
      std::string told;
    };
    Gone rendezvous;

    excuse(rendezvous, "no plugin");

    CHECK(parse_excuse(rendezvous.told) == "no plugin");
  }
}

}  // namespace mlp::distributed
