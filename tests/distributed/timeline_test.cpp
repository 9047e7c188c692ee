// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/timeline.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace mlp::distributed {

namespace {

using Row = Timeline::Row;

std::string text_of(const Timeline& timeline) {
  std::ostringstream out;
  timeline.write(out);
  return out.str();
}

}  // namespace

TEST_SUITE("distributed/timeline") {
  TEST_CASE("writes an array of complete events") {
    Timeline timeline(3);
    timeline.add({"sum", Row::kSend, 7, 2.0, 2.25, 4096});

    const std::string text = text_of(timeline);

    CHECK(text ==
          "[\n"
          "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3,"
          "\"args\":{\"name\":\"rank 3\"}},\n"
          "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":0,"
          "\"args\":{\"name\":\"compute\"}},\n"
          "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":1,"
          "\"args\":{\"name\":\"send\"}},\n"
          "{\"name\":\"sum\",\"cat\":\"send\",\"ph\":\"X\",\"ts\":2000000,"
          "\"dur\":250000,\"pid\":3,\"tid\":1,"
          "\"args\":{\"number\":7,\"bytes\":4096}}\n"
          "]\n");
  }

  TEST_CASE("escapes names so that JSON is read back") {
    const std::string name = "a \"b\" \\ \n\x01 \xc3\xa9";
    Timeline timeline(0);
    timeline.add({name.c_str(), Row::kCompute, 1, 1.0, 2.0, 0});

    const auto events = nlohmann::json::parse(text_of(timeline));

    REQUIRE(events.size() == 4);
    CHECK(events[3]["name"] == name);
  }

  TEST_CASE("keeps the newest spans, oldest first") {
    Timeline timeline(0, 3);
    for (int number = 1; number <= 5; ++number) {
      timeline.add({"compute", Row::kCompute, number, 0.0, 0.0, 0});
    }

    const std::vector<Timeline::Span> spans = timeline.spans();

    REQUIRE(spans.size() == 3);
    for (int i = 0; i < 3; ++i)
      CHECK(spans[static_cast<std::size_t>(i)].number == i + 3);
  }

  TEST_CASE("records spans of several threads, by an injected clock") {
    Timeline timeline(0, 100, [] { return 5.0; });
    const auto add = [&](Row row) {
      for (int i = 0; i < 20; ++i) {
        const TimelineSpan span(&timeline, "wait", row, i, 8);
      }
    };

    std::thread other(add, Row::kSend);
    add(Row::kCompute);
    other.join();

    CHECK(timeline.spans().size() == 40);
    CHECK(timeline.spans().back().end_seconds == 5.0);
  }

  TEST_CASE("has a clock that goes forward from the time of day") {
    const Timeline timeline(0);
    constexpr double kYear2020 = 1.5778e9;

    const double before = timeline.now();

    CHECK(before > kYear2020);
    CHECK(timeline.now() >= before);
  }

  TEST_CASE("does nothing without a timeline") {
    CHECK_NOTHROW(TimelineSpan(nullptr, "compute", Row::kCompute, 1));
  }
}

}  // namespace mlp::distributed
