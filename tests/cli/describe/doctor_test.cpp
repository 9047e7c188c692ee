// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "../../../cli/describe/doctor_report.hpp"
#include "../../../cli/flags/machine.hpp"
#include "../../../core/version.hpp"
#include "../../../cpu/cpu_backend.hpp"
#include "../../../cuda/devices.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

using mlp::test::run_program;
using nlohmann::json;

namespace {

cuda::DeviceReport sample_devices() {
  cuda::Device device;
  device.name = "NVIDIA H200";
  device.compute_capability_major = 9;
  device.num_multiprocessors = 132;
  device.total_bytes = 150'754'820'096;
  cuda::DeviceReport report;
  report.is_compiled = true;
  report.runtime_version = "13.0";
  report.driver_version = "13.1";
  report.devices = {device};
  report.cublas = "13.0.2";
  report.nccl_refusal = "NCCL: is not installed";
  return report;
}

/// A machine whose processor is newer than its OpenBLAS.
DoctorReport sample_report() {
  DoctorReport report;
  report.version = "9.8.7";
  report.processor = "Some Xeon";
  report.num_cores = 4;
  report.num_hardware_threads = 8;
  report.num_usable_threads = 2;
  report.kernels = {"AVX-512", "AVX2"};
  report.openblas = {"", "OpenBLAS 0.3.21", "SkylakeX", CoreChoice::kProgram,
                     "Prescott"};
  report.cuda = sample_devices();
  report.huge_pages = "madvise";
  report.transports = {{"threads", "", "within one process"},
                       {"mpi", "is not installed", ""}};
  report.parts = {{"cpu", true}, {"gzip", true}, {"cuda", false}};
  return report;
}

/// The line of the text that begins with a word.
std::string line_of(const std::string& text, const std::string& word) {
  const std::size_t first = text.find(word);
  REQUIRE(first != text.npos);
  return text.substr(first, text.find('\n', first) - first);
}

}  // namespace

TEST_SUITE("cli/describe/doctor") {
  TEST_CASE("tells people what it found, a wrong core corrected") {
    CHECK(format_doctor_text(sample_report()) ==
          "version      9.8.7\n"
          "processor    Some Xeon\n"
          "cores        4 with 8 threads; this process may use 2\n"
          "kernels      AVX-512, AVX2; the first is used\n"
          "OpenBLAS     OpenBLAS 0.3.21\n"
          "             kernels for SkylakeX, chosen by mlp; OpenBLAS detects "
          "Prescott\n"
          "CUDA         runtime 13.0, driver 13.1\n"
          "             cuda:0 (NVIDIA H200): compute capability 9.0, 132 "
          "multiprocessors, 150.8 GB of memory\n"
          "             cuBLAS 13.0.2\n"
          "             NCCL: is not installed\n"
          "             --device auto uses the CPU and not cuda:0 (NVIDIA "
          "H200), which rounds in another order; --device cuda uses the "
          "device\n"
          "ranks        threads: within one process\n"
          "             mpi: is not installed\n"
          "huge pages   madvise\n"
          "parts        cpu, gzip\n"
          "left out     cuda\n");
  }

  TEST_CASE("tells who named the core where nothing is corrected") {
    DoctorReport report = sample_report();
    report.openblas.detected_core = "SkylakeX";
    CHECK(format_doctor_text(report).find(
              "kernels for SkylakeX, detected by OpenBLAS\n") !=
          std::string::npos);
    report.openblas.choice = CoreChoice::kUser;
    report.openblas.core = "Haswell";

    CHECK(format_doctor_text(report).find(
              "kernels for Haswell, set by OPENBLAS_CORETYPE; OpenBLAS detects "
              "SkylakeX\n") != std::string::npos);
  }

  TEST_CASE("tells what is missing") {
    DoctorReport report;
    report.openblas.problem = "not installed";
    report.processor = "unknown";
    report.huge_pages = "unknown";

    const std::string text = format_doctor_text(report);

    CHECK(line_of(text, "processor") ==
          "processor    unknown, because it reports no name");
    CHECK(
        line_of(text, "cores") ==
        "cores        unknown, because /sys/devices/system/cpu cannot be read; "
        "an unknown number of threads; this process may use 1");
    CHECK(line_of(text, "huge pages") ==
          "huge pages   unknown, because "
          "/sys/kernel/mm/transparent_hugepage/enabled cannot be read");
    CHECK(line_of(text, "kernels") == "kernels      none");
    CHECK(line_of(text, "OpenBLAS") == "OpenBLAS     not installed");
    CHECK(line_of(text, "CUDA") ==
          "CUDA         the CUDA backend is not part of this build; install "
          "the CUDA Toolkit 12.8 or later, configure with -DMLP_WITH_CUDA=ON "
          "and build again");
    CHECK(line_of(text, "left out") == "left out     none");
    CHECK(json::parse(format_doctor_json(report))["openblas"] ==
          json{{"found", false}, {"problem", "not installed"}});
  }

  TEST_CASE("tells why no device is used") {
    DoctorReport report = sample_report();
    report.cuda.devices.clear();
    report.cuda.driver_version.clear();
    report.cuda.refusal = "no NVIDIA driver is installed";

    const std::string text = format_doctor_text(report);
    const json cuda = json::parse(format_doctor_json(report))["cuda"];

    CHECK(line_of(text, "CUDA") == "CUDA         runtime 13.0, no driver");
    CHECK(text.find("             no device is used: no NVIDIA driver is "
                    "installed\n") != text.npos);
    CHECK(cuda["usable"] == false);
    CHECK(cuda["problem"] == "no NVIDIA driver is installed");
  }

  TEST_CASE("tells that the core which OpenBLAS detects is unknown") {
    DoctorReport report = sample_report();
    report.openblas.detected_core = "unknown";

    CHECK(
        format_doctor_text(report).find(
            "kernels for SkylakeX, chosen by mlp; the processor that OpenBLAS "
            "detects is unknown, because asking it in another process "
            "failed\n") != std::string::npos);
  }

  TEST_CASE("says that pip installed the program") {
    DoctorReport report = sample_report();
    CHECK(line_of(format_doctor_text(report), "version") ==
          "version      9.8.7");
    CHECK(json::parse(format_doctor_json(report))["pythonPackage"] == false);

    report.is_python_package = true;

    CHECK(line_of(format_doctor_text(report), "version") ==
          "version      9.8.7, of the Python package");
    CHECK(json::parse(format_doctor_json(report))["pythonPackage"] == true);
  }

  TEST_CASE("tells scripts the same as people") {
    const json report = json::parse(format_doctor_json(sample_report()));

    CHECK(report["processor"] == "Some Xeon");
    CHECK(report["cores"] == 4);
    CHECK(report["hardwareThreads"] == 8);
    CHECK(report["usableThreads"] == 2);
    CHECK(report["kernels"] == json{"AVX-512", "AVX2"});
    CHECK(report["openblas"]["core"] == "SkylakeX");
    CHECK(report["openblas"]["coreChosenBy"] == "mlp");
    CHECK(report["openblas"]["detectedCore"] == "Prescott");
    CHECK(report["parts"] ==
          json{{"cpu", true}, {"gzip", true}, {"cuda", false}});
    CHECK(report["transports"]["threads"]["usable"] == true);
    CHECK(report["transports"]["mpi"] ==
          json{{"usable", false}, {"problem", "is not installed"}});
  }

  TEST_CASE("tells scripts what devices it found") {
    const json report = json::parse(format_doctor_json(sample_report()));

    CHECK(report["cuda"] ==
          json{{"compiled", true},
               {"usable", true},
               {"runtime", "13.0"},
               {"driver", "13.1"},
               {"devices",
                {{{"name", "NVIDIA H200"},
                  {"computeCapability", "9.0"},
                  {"multiprocessors", 132},
                  {"memoryBytes", 150754820096}}}},
               {"cublas", {{"found", true}, {"version", "13.0.2"}}},
               {"nccl",
                {{"found", false}, {"problem", "NCCL: is not installed"}}}});
  }

  TEST_CASE("describes this machine") {
    const auto text = run_program({"doctor"});
    const auto result = run_program({"doctor", "--json"});

    CHECK(text.exit_code == 0);
    CHECK(result.exit_code == 0);
    CHECK(result.messages == "");
    const json report = json::parse(result.output);
    CHECK(report["version"] == kVersion);
    CHECK(report["processor"] == cli::processor_name());
    CHECK(report["usableThreads"] == cli::count_usable_threads());
    CHECK(report["hardwareThreads"] == std::thread::hardware_concurrency());
    CHECK(report["kernels"].size() == cpu::usable_backends().size());
    CHECK(report["kernels"][0] == cpu::backend().name());
    CHECK(report["parts"]["cpu"] == true);
    CHECK(report["parts"]["cuda"] == cuda::is_compiled());
    CHECK(report["parts"]["parquet"].is_boolean());
    CHECK(report["cuda"]["compiled"] == cuda::is_compiled());
    CHECK(report["transports"].size() == 4);
    CHECK(line_of(text.output, "processor") ==
          "processor    " + cli::processor_name());
  }

  TEST_CASE("leaves the core to the user who names one") {
    ::setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    const auto result = run_program({"doctor", "--json"});
    ::unsetenv("OPENBLAS_CORETYPE");
    const json openblas = json::parse(result.output)["openblas"];
    if (!openblas["found"]) {
      std::puts("test skipped: OpenBLAS is not installed");
      return;
    }

    CHECK(openblas["core"] == "Prescott");
    CHECK(openblas["coreChosenBy"] == "OPENBLAS_CORETYPE");
  }
}

}  // namespace mlp::cli
