// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as what other ranks send: reports before a training, and
// exchange plans.

#include <cstddef>
#include <cstdint>
#include <string>

#include "../../../mlp/exchange/exchange_plan.hpp"
#include "../../../mlp/exchange/rank_agreement.hpp"
#include "../outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace mlp;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto report =
      fuzz::outcome_of([&] { return mlp::detail::unpack_report(bytes, 1); });
  if (report.value) {
    const RankReport again =
        mlp::detail::unpack_report(mlp::detail::pack_report(*report.value), 1);
    fuzz::require(again.facts == report.value->facts, "the same facts");
    fuzz::require(again.num_instances == report.value->num_instances,
                  "as many instances");
    fuzz::require(again.refusal == report.value->refusal, "the same refusal");
  }
  const auto plan =
      fuzz::outcome_of([&] { return parse_exchange_plan(bytes); });
  if (plan.value) {
    const std::string text = format_exchange_plan(*plan.value);
    fuzz::require(format_exchange_plan(parse_exchange_plan(text)) == text,
                  "the same plan");
  }
  return 0;
}
