// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor_report.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "../../core/error.hpp"
#include "../../core/memory/available_memory.hpp"
#include "../../cuda/device_check.hpp"
#include "../device/device_choice.hpp"
#include "../flags/machine.hpp"

namespace mlp::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Joins texts in one line: a, b, c; returns a word if there are none.
std::string join(const std::vector<std::string>& texts, const char* none) {
  std::string line;
  for (const std::string& text : texts) {
    if (!line.empty()) line += ", ";
    line += text;
  }
  return line.empty() ? none : line;
}

std::vector<std::string> names_of(const std::vector<OptionalPart>& parts,
                                  bool is_built) {
  std::vector<std::string> names;
  for (const OptionalPart& part : parts) {
    if (part.is_built == is_built) names.push_back(part.name);
  }
  return names;
}

Json openblas_json(const OpenBlasProbe& probe) {
  if (!probe.problem.empty()) {
    return {{"found", false}, {"problem", probe.problem}};
  }
  constexpr const char* kChoosers[] = {"OpenBLAS", "mlp", "OPENBLAS_CORETYPE"};
  return {{"found", true},
          {"config", probe.config},
          {"core", probe.core},
          {"coreChosenBy", kChoosers[static_cast<std::size_t>(probe.choice)]},
          {"detectedCore", probe.detected_core}};
}

std::string describe_core(const OpenBlasProbe& probe) {
  std::string text = "kernels for " + probe.core;
  if (probe.choice == CoreChoice::kUser) {
    text += ", set by OPENBLAS_CORETYPE";
  }
  if (probe.detected_core == probe.core) {
    return text + ", detected by OpenBLAS";
  }
  if (probe.choice == CoreChoice::kProgram) text += ", chosen by mlp";
  if (probe.detected_core == kUnknown) {
    return text + "; the processor that OpenBLAS detects is unknown, because " +
           "asking it in another process failed";
  }
  return text + "; OpenBLAS detects " + probe.detected_core;
}

Json library_json(const std::string& version, const std::string& refusal) {
  if (!version.empty()) return {{"found", true}, {"version", version}};
  return {{"found", false}, {"problem", refusal}};
}

std::string compute_capability(const cuda::Device& device) {
  return std::to_string(device.compute_capability_major) + '.' +
         std::to_string(device.compute_capability_minor);
}

/// The reason why the first device cannot be used, or an empty text.
std::string device_problem(const cuda::DeviceReport& report) {
  try {
    cuda::require_device(report, 0, "");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

Json cuda_json(const cuda::DeviceReport& report) {
  Json json = {{"compiled", report.is_compiled}};
  const std::string problem = device_problem(report);
  json["usable"] = problem.empty();
  if (!problem.empty()) json["problem"] = problem;
  if (!report.is_compiled) return json;
  json["runtime"] = report.runtime_version;
  json["driver"] = report.driver_version;
  json["devices"] = Json::array();
  for (const cuda::Device& device : report.devices) {
    json["devices"].push_back(
        {{"name", device.name},
         {"computeCapability", compute_capability(device)},
         {"multiprocessors", device.num_multiprocessors},
         {"memoryBytes", device.total_bytes}});
  }
  json["cublas"] = library_json(report.cublas, report.cublas_refusal);
  json["nccl"] = library_json(report.nccl, report.nccl_refusal);
  return json;
}

std::string describe_cuda(const cuda::DeviceReport& report) {
  const std::string problem = device_problem(report);
  if (!report.is_compiled) return problem + '\n';
  constexpr const char* kIndent = "             ";
  std::string text =
      "runtime " + report.runtime_version +
      (report.driver_version.empty() ? ", no driver"
                                     : ", driver " + report.driver_version) +
      '\n';
  for (const cuda::Device& device : report.devices) {
    text += kIndent + cuda::describe_device(device) + ": compute capability " +
            compute_capability(device) + ", " +
            std::to_string(device.num_multiprocessors) + " multiprocessors, " +
            format_bytes(static_cast<double>(device.total_bytes)) +
            " of memory\n";
  }
  const auto add = [&](const char* name, const std::string& version,
                       const std::string& refusal) {
    if (version.empty() && (refusal.empty() || refusal == problem)) return;
    text +=
        kIndent + (version.empty() ? refusal : name + (' ' + version)) + '\n';
  };
  add("cuBLAS", report.cublas, report.cublas_refusal);
  add("NCCL", report.nccl, report.nccl_refusal);
  return text + kIndent +
         (problem.empty() ? describe_auto(report)
                          : "no device is used: " + problem) +
         '\n';
}

Json transports_json(const std::vector<TransportProbe>& transports) {
  Json json = Json::object();
  for (const TransportProbe& transport : transports) {
    json[transport.name] =
        transport.problem.empty()
            ? Json{{"usable", true}, {"remark", transport.remark}}
            : Json{{"usable", false}, {"problem", transport.problem}};
  }
  return json;
}

std::string describe_transports(const std::vector<TransportProbe>& transports) {
  std::string text;
  for (const TransportProbe& transport : transports) {
    text += text.empty() ? "ranks        " : "             ";
    text += transport.name + ": " +
            (transport.problem.empty() ? transport.remark : transport.problem) +
            '\n';
  }
  return text;
}

/// Returns a text of the system, or why it is unknown.
std::string or_reason(const std::string& text, const std::string& reason) {
  return text == kUnknown ? text + ", because " + reason : text;
}

std::string describe_cores(const DoctorReport& report) {
  const std::string threads =
      report.num_hardware_threads == 0
          ? "an unknown number of threads"
          : std::to_string(report.num_hardware_threads) + " threads";
  const std::string usable =
      "; this process may use " + std::to_string(report.num_usable_threads);
  if (report.num_cores == 0) {
    return "unknown, because " + std::string(kCoresFolder) +
           " cannot be read; " + threads + usable;
  }
  return std::to_string(report.num_cores) + " with " + threads + usable;
}

}  // namespace

std::string format_doctor_json(const DoctorReport& report) {
  Json parts = Json::object();
  for (const OptionalPart& part : report.parts) {
    parts[part.name] = part.is_built;
  }
  const Json json = {{"version", report.version},
                     {"pythonPackage", report.is_python_package},
                     {"processor", report.processor},
                     {"cores", report.num_cores},
                     {"hardwareThreads", report.num_hardware_threads},
                     {"usableThreads", report.num_usable_threads},
                     {"kernels", report.kernels},
                     {"openblas", openblas_json(report.openblas)},
                     {"cuda", cuda_json(report.cuda)},
                     {"transports", transports_json(report.transports)},
                     {"hugePages", report.huge_pages},
                     {"parts", parts}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string format_doctor_text(const DoctorReport& report) {
  const OpenBlasProbe& probe = report.openblas;
  std::string text =
      "version      " + report.version +
      (report.is_python_package ? ", of the Python package\n" : "\n");
  text += "processor    " + or_reason(report.processor, "it reports no name") +
          '\n';
  text += "cores        " + describe_cores(report) + '\n';
  text += "kernels      " + join(report.kernels, "none") +
          (report.kernels.empty() ? "" : "; the first is used") + '\n';
  if (probe.problem.empty()) {
    text += "OpenBLAS     " + probe.config + '\n';
    text += "             " + describe_core(probe) + '\n';
  } else {
    text += "OpenBLAS     " + probe.problem + '\n';
  }
  text += "CUDA         " + describe_cuda(report.cuda);
  text += describe_transports(report.transports);
  text += "huge pages   " +
          or_reason(report.huge_pages,
                    std::string(kHugePagesFile) + " cannot be read") +
          '\n';
  text += "parts        " + join(names_of(report.parts, true), "none") + '\n';
  return text + "left out     " + join(names_of(report.parts, false), "none") +
         '\n';
}

}  // namespace mlp::cli
