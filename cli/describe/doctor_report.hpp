// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../cuda/devices.hpp"

namespace mlp::cli {

/// Who chose the kernels of OpenBLAS.
enum class CoreChoice { kOpenBlas, kProgram, kUser };

/// The OpenBLAS of this machine.
struct OpenBlasProbe {
  std::string problem;  ///< why it cannot be used; empty if it can
  std::string config;   ///< its version and how it was built
  std::string core;     ///< the kernels in use
  CoreChoice choice = CoreChoice::kOpenBlas;
  std::string detected_core;  ///< the kernels that OpenBLAS chooses by itself
};

/// A part of the program that a build may leave out.
struct OptionalPart {
  std::string name;
  bool is_built = false;
};

/// A transport between ranks, and whether it works on this machine.
struct TransportProbe {
  std::string name;     ///< as --transport spells it
  std::string problem;  ///< why it does not work; empty if it works
  std::string remark;   ///< its library and version
};

/// The facts about this machine and this program that the command doctor prints.
struct DoctorReport {
  std::string version;
  bool is_python_package = false;  ///< pip installed the program
  std::string processor;
  int num_cores = 0;  ///< 0 if it is unknown
  int num_hardware_threads = 0;
  int num_usable_threads = 1;
  std::vector<std::string> kernels;  ///< backends of --backend cpu, best first
  OpenBlasProbe openblas;
  cuda::DeviceReport cuda;
  std::vector<TransportProbe> transports;  ///< transports between ranks
  std::string huge_pages;
  std::vector<OptionalPart> parts;
};

/// The report for scripts.
[[nodiscard]] std::string format_doctor_json(const DoctorReport& report);

/// The report for people.
[[nodiscard]] std::string format_doctor_text(const DoctorReport& report);

}  // namespace mlp::cli
