// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_members.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

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

  TEST_CASE("describes each value and each item of an array") {
    for (const Members& members :
         {kDocument.members, list_of(kParamMembers), list_of(kNetworkMembers),
          list_of(kColumnMembers), list_of(kInputMembers),
          list_of(kWeightsMembers), list_of(kTrainingMembers),
          list_of(kInstanceMembers)}) {
      std::set<std::string_view> names;
      for (const Member& member : members) {
        CHECK(names.insert(member.name).second);
        CHECK((member.type == JsonType::kParam) ==
              (member.param != nullptr && !member.is_array));
        CHECK(member.expected(false).starts_with("an array") ==
              member.is_array);
        CHECK_FALSE(member.expected(true).starts_with("an array"));
      }
    }
    CHECK(kTrainingMembers[0].expected(true) ==
          "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
    CHECK(kParamMembers[1].expected(false) ==
          "a number >= 0, and <= 1 with solver gd");
  }
}
