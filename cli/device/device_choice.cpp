// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_choice.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "../../core/error.hpp"
#include "../../cuda/device_check.hpp"
#include "../../mlp/params/param_rules.hpp"
#include "cpu_speed.hpp"

namespace mlp::cli {

namespace {

using Kind = DeviceRequest::Kind;

constexpr double kNever = std::numeric_limits<double>::infinity();

ChosenBackend open_device(const Devices& devices, const DeviceRequest& request,
                          int index) {
  const cuda::BackendOptions options{index, request.memory_bytes};
  return {"cuda", &devices.open(options), "cuda:" + std::to_string(index)};
}

std::string print_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

/// The device with the shortest predicted time.
struct Candidate {
  double seconds = kNever;
  int index = 0;
  std::string description;  ///< or why there is none
};

Candidate find_candidate(const cuda::DeviceReport& report,
                         const cuda::Work& work) {
  Candidate best;
  const auto is_usable = [&](int index) {
    try {
      cuda::require_device(report, index, "");
      return true;
    } catch (const Error& error) {
      if (std::isinf(best.seconds)) best.description = error.what();
      return false;
    }
  };
  if (report.devices.empty()) static_cast<void>(is_usable(0));
  for (const cuda::Device& device : report.devices) {
    if (!is_usable(device.index)) continue;
    const double seconds = cuda::predict_device_seconds(work, device);
    if (!(seconds < best.seconds)) continue;
    best = {seconds, device.index, cuda::describe_device(device)};
  }
  return best;
}

}  // namespace

bool needs_device(Precision precision) {
  return precision == Precision::kTensorFloat32 ||
         precision == Precision::kBfloat16;
}

void open_requested_device(GlobalOptions& options, Precision precision,
                           const Devices& devices) {
  if (options.device.kind == Kind::kCuda) {
    options.backend =
        open_device(devices, options.device, options.device.index);
    return;
  }
  if (!needs_device(precision)) return;
  const std::string sentence = std::string("--precision: ") +
                               precision_name(precision) +
                               " needs an NVIDIA device";
  if (options.device.kind == Kind::kCpu) {
    throw ParamError(sentence +
                     ", and the CPU computes; use float32, or --device cuda "
                     "without --backend");
  }
  cuda::require_device(devices.find(), 0, sentence + "; ");
  options.backend = open_device(devices, options.device, 0);
}

std::string describe_choice(double cpu_seconds, double device_seconds,
                            const std::string& device) {
  std::string text =
      "--device auto: the CPU needs about " + print_seconds(cpu_seconds) + "; ";
  if (std::isinf(device_seconds)) {
    return text + "no device is used: " + device;
  }
  return text + device + " needs about " + print_seconds(device_seconds) +
         (cuda::is_worthwhile(cpu_seconds, device_seconds)
              ? ", and is used"
              : ", which saves too little");
}

bool may_choose_device(const GlobalOptions& options, const cuda::Work& work,
                       const Devices& devices) {
  return options.device.kind == Kind::kAuto &&
         options.backend.device == "cpu" && devices.is_compiled &&
         cuda::is_worth_measuring(work);
}

void choose_device(GlobalOptions& options, const cuda::Work& work,
                   const std::function<double()>& measure,
                   const Devices& devices) {
  if (!may_choose_device(options, work, devices)) return;
  const double cpu_seconds = cuda::predict_cpu_seconds(work, measure());
  const double least = cuda::least_device_seconds(work);
  if (!cuda::is_worthwhile(cpu_seconds, least)) {
    options.console.detail(
        describe_choice(cpu_seconds, least, "even the fastest device"));
    return;
  }
  Candidate device;
  device.description = "the NVIDIA driver";
  try {
    device = find_candidate(devices.find(), work);
    options.console.detail(
        describe_choice(cpu_seconds, device.seconds, device.description));
    if (!cuda::is_worthwhile(cpu_seconds, device.seconds)) return;
    options.backend = open_device(devices, options.device, device.index);
  } catch (const Error& error) {
    // The user did not ask for the device.
    options.console.note("computing on the CPU, because " + device.description +
                         " failed: " + error.what());
  }
}

void choose_training_device(GlobalOptions& options, const Params& params,
                            Precision precision, const datasets::Dataset& data,
                            Index num_fits) {
  const Topology topology = topology_of(params);
  cuda::Work work =
      cuda::training_work(topology, params, data.num_instances(), precision);
  work.num_evaluations *= static_cast<double>(num_fits);
  choose_device(options, work, [&] {
    return measure_training(*options.backend.implementation, topology, params,
                            precision, options.num_threads, data);
  });
}

void choose_scoring_device(GlobalOptions& options, const Model& model,
                           const Matrix& features) {
  choose_device(options, cuda::scoring_work(model.topology(), features.cols()),
                [&] {
                  return measure_scoring(*options.backend.implementation, model,
                                         options.num_threads, features);
                });
}

}  // namespace mlp::cli
