// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor_report.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

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
                     {"processor", report.processor},
                     {"cores", report.num_cores},
                     {"hardwareThreads", report.num_hardware_threads},
                     {"usableThreads", report.num_usable_threads},
                     {"kernels", report.kernels},
                     {"openblas", openblas_json(report.openblas)},
                     {"transports", transports_json(report.transports)},
                     {"hugePages", report.huge_pages},
                     {"parts", parts}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string format_doctor_text(const DoctorReport& report) {
  const OpenBlasProbe& probe = report.openblas;
  std::string text = "version      " + report.version + '\n';
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
  text += describe_transports(report.transports);
  text += "huge pages   " +
          or_reason(report.huge_pages,
                    std::string(kHugePagesFile) + " cannot be read") +
          '\n';
  text += "built        " + join(names_of(report.parts, true), "none") + '\n';
  return text + "not built    " + join(names_of(report.parts, false), "none") +
         '\n';
}

}  // namespace mlp::cli
