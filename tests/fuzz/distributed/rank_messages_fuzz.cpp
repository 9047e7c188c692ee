// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as what ranks read of each other: the files of a rendezvous,
// introductions, addresses, reports before a training, and exchange plans.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../../distributed/rendezvous/endpoint.hpp"
#include "../../../distributed/rendezvous/handshake.hpp"
#include "../../../distributed/rendezvous/meeting_files.hpp"
#include "../../../distributed/rendezvous/rank_identity.hpp"
#include "../../../mlp/exchange/exchange_plan.hpp"
#include "../../../mlp/exchange/rank_agreement.hpp"
#include "../outcome.hpp"

namespace mlp::fuzz {

namespace {

using namespace mlp::distributed;

void read_meeting_files(std::string_view bytes) {
  for (const int world_size : {1, 2, 3}) {
    const auto group = parse_group(bytes, world_size);
    if (!group) continue;
    require(format_group(*group) == bytes, "the same group");
    require(is_fresh_name(group->word), "a word that can name files");
  }
}

void read_connections(std::string_view bytes) {
  if (const auto hello = parse_hello(bytes)) {
    require(format_hello(*hello) == bytes, "the same hello");
  }
  if (const auto endpoint = parse_endpoint(bytes)) {
    const auto again = parse_endpoint(format_endpoint(*endpoint));
    require(again && again->text() == endpoint->text(), "the same endpoint");
  }
}

void read_introductions(const std::string& bytes) {
  for (const int rank : {0, 1}) {
    const auto identity = parse_identity(bytes, rank);
    if (!identity) continue;
    require(format_identity(*identity) == bytes, "the same identity");
    static_cast<void>(outcome_of([&] {
      return choose_addresses({*identity, RankIdentity{"here", "", "", ""}});
    }));
  }
  if (const auto excuse = parse_excuse(bytes)) {
    require(format_excuse(*excuse).size() <= bytes.size(), "a shorter excuse");
  }
}

void read_report(const std::string& bytes) {
  const auto report =
      outcome_of([&] { return mlp::detail::unpack_report(bytes, 1); });
  if (!report.value) return;
  const RankReport again =
      mlp::detail::unpack_report(mlp::detail::pack_report(*report.value), 1);
  require(again.facts == report.value->facts, "the same facts");
  require(again.num_instances == report.value->num_instances,
          "as many instances");
  require(again.refusal == report.value->refusal, "the same refusal");
}

void read_plan(const std::string& text) {
  const auto plan = outcome_of([&] { return parse_exchange_plan(text); });
  if (!plan.value) return;
  const std::string same = format_exchange_plan(*plan.value);
  require(format_exchange_plan(parse_exchange_plan(same)) == same,
          "the same plan");
}

}  // namespace

}  // namespace mlp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  mlp::fuzz::read_meeting_files(bytes);
  mlp::fuzz::read_connections(bytes);
  mlp::fuzz::read_introductions(bytes);
  mlp::fuzz::read_report(bytes);
  mlp::fuzz::read_plan(bytes);
  return 0;
}
