// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_members.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace mlp::detail;

TEST_SUITE("mlp/model_file/json_members") {
  TEST_CASE("has each stored hyper-parameter once and in the table's order") {
    std::string required;
    std::string optional;
    for (const Member& member : kParamMembers) {
      std::string& names = member.is_required ? required : optional;
      names += std::string(member.name) + ' ';
    }

    std::string always;
    std::string when_set;
    for (const mlp::ParamInfo& info : mlp::kParamTable) {
      if (info.stored == mlp::Stored::kNever) continue;
      (info.stored == mlp::Stored::kAlways ? always : when_set)
          .append(info.name)
          .append(" ");
    }
    CHECK(required == always);
    CHECK(required == "maxIter tol blockSize solver stepSize seed ");
    CHECK(optional == when_set);
  }

  TEST_CASE("keeps the names and the order of the members of version 2") {
    std::string names;
    for (const Member& member : kParamMembers) {
      names.append(member.name).append(" ");
    }

    // Others may come between them.
    std::size_t at = 0;
    for (const char* name :
         {"init ", "regParam ", "classWeights ", "labelSmoothing ", "clipNorm ",
          "clipValue ", "patience ", "historySize ", "batchSize ", "momentum ",
          "nesterov ", "schedule ", "freeze "}) {
      at = names.find(name, at);
      CHECK(at != names.npos);
    }
  }

  TEST_CASE("gives each member a place of its own") {
    ParsedModel parsed;
    parsed.self_test.emplace_back();
    parsed.columns.emplace(1);
    std::set<std::string> names;
    std::set<const void*> places;

    for (const Members members :
         {Members(kModelMembers), Members(kParamMembers),
          Members(kNetworkMembers), Members(kColumnMembers),
          Members(kInputMembers), Members(kWeightsMembers),
          Members(kTrainingMembers), Members(kInstanceMembers)}) {
      for (const Member& member : members) {
        names.insert(std::string(member.name));
        std::visit(
            [&](auto slot) {
              if constexpr (std::is_pointer_v<decltype(slot)>) {
                places.insert(slot);
              }
            },
            member.slot(parsed));
      }
    }

    CHECK(names.size() == 16 + kParamMembers.size() + 5 + 4 + 7 + 4 + 7 + 4);
    CHECK(places.size() == names.size() - 5);  // less the 5 objects
  }

  TEST_CASE("says what each place takes") {
    ParsedModel parsed;
    const Slot layers = &parsed.layers;
    const Slot history = &parsed.objective_history;
    const Slot version = &parsed.format_version;
    const Slot tol = kParamMembers[1].slot(parsed);

    CHECK(takes_array(layers));
    CHECK_FALSE(takes_array(version));
    CHECK_FALSE(takes_array(tol));
    CHECK(expected_value(layers) == "an array of integers");
    CHECK(expected_item(layers) == "an integer");
    CHECK(expected_item(history) ==
          "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    CHECK(expected_value(version) == "an integer");
    CHECK(expected_value(tol) == "a number >= 0, and <= 1 with solver gd");
  }

  TEST_CASE("marks as present what is about to come") {
    ParsedModel parsed;

    kInputMembers[1].slot(parsed);

    CHECK(parsed.mean);
    CHECK_FALSE(parsed.standard_deviation);
  }
}
