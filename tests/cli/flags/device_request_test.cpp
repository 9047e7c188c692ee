// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../cli/flags/global_options.hpp"
#include "../../../core/error.hpp"
#include "../../../cuda/devices.hpp"
#include "../../thrown_message.hpp"

namespace mlp::cli {

namespace {

using Kind = DeviceRequest::Kind;

DeviceRequest read(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"evaluate", "model", "data"});
  const CommandLine line = parse_command_line(std::move(flags));
  return read_device_request(FlagReader(line));
}

std::string refusal(std::vector<std::string> flags) {
  return test::thrown_message<ParamError>(
      [&] { return read(std::move(flags)); });
}

}  // namespace

TEST_SUITE("cli/flags/device_request") {
  TEST_CASE("is auto by default") {
    CHECK(read({}).kind == Kind::kAuto);
    CHECK(read({"--device", "auto"}).kind == Kind::kAuto);
    CHECK(read({}).memory_bytes == 0);
  }

  TEST_CASE("takes a backend for the wish to compute on the CPU") {
    CHECK(read({"--device", "cpu"}).kind == Kind::kCpu);
    CHECK(read({"--backend", "reference"}).kind == Kind::kCpu);
    CHECK(read({"--device", "cpu", "--backend", "cpu"}).kind == Kind::kCpu);
    CHECK(read({"--backend", "auto"}).kind == Kind::kAuto);
  }

  TEST_CASE("says what this build or this machine lacks") {
    if (!cuda::find_devices().refusal.empty()) {
      CHECK_THROWS_AS(read({"--device", "cuda"}), Error);
      CHECK_THROWS_AS(read({"--device", "cuda:1"}), Error);
    } else {
      CHECK(read({"--device", "cuda"}).kind == Kind::kCuda);
      CHECK_THROWS_AS(read({"--device", "cuda:999"}), DeviceError);
    }
  }

  TEST_CASE("refuses other devices, and what contradicts one") {
    CHECK(refusal({"--device", "cuda:"}) ==
          "--device: must be auto, cpu, cuda or cuda:N with N >= 0; got "
          "'cuda:'");
    CHECK(refusal({"--device", "cuda:99999999999"}) ==
          "--device: must be auto, cpu, cuda or cuda:N with N >= 0; got "
          "'cuda:99999999999'");
    CHECK(refusal({"--device", "cuda", "--backend", "openblas"}) ==
          "--device: cannot be combined with --backend, which computes on the "
          "CPU; use only one of them");
    CHECK(refusal({"--device", "cpu", "--device-memory", "8GB"}) ==
          "--device-memory: is about an NVIDIA device, and the CPU computes; "
          "leave it out, or add --device cuda");
  }

  TEST_CASE("reads the memory of the device") {
    CHECK(read({"--device-memory", "8GB"}).memory_bytes == 8'000'000'000);
    CHECK(refusal({"--device-memory", "much"}) ==
          "--device-memory: must be a number of bytes, at least 1MB, such as "
          "500MB, 8G or 8GiB; got 'much'");
  }

  TEST_CASE("reads bytes with and without a unit") {
    CHECK(parse_bytes("1000000") == 1'000'000);
    CHECK(parse_bytes("1200000B") == 1'200'000);
    CHECK(parse_bytes("2000KB") == 2'000'000);
    CHECK(parse_bytes("500MB") == 500'000'000);
    CHECK(parse_bytes("8gb") == 8'000'000'000);
    CHECK(parse_bytes("2048KiB") == 2'097'152);
    CHECK(parse_bytes("1.5MiB") == 1'572'864);
    CHECK(parse_bytes("1GiB") == 1'073'741'824);
    CHECK(parse_bytes("2TB") == 2'000'000'000'000);
    CHECK(parse_bytes("8G") == 8'000'000'000);
    CHECK(parse_bytes("500m") == 500'000'000);
    CHECK(parse_bytes("2000K") == 2'000'000);
    CHECK(parse_bytes("0.5T") == 500'000'000'000);
    CHECK(parse_bytes("1Gi") == 1'073'741'824);
  }

  TEST_CASE("reads no bytes from anything else") {
    for (const char* const text :
         {"", "GB", "0", "8", "999KB", "-1", "8 GB x", "1e30", "nan", "8TBB",
          "8iB", "1000000i", "8GG", "8GMB"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_bytes(text).has_value());
    }
  }
}

}  // namespace mlp::cli
