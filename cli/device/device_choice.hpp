// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "../../cuda/cost_model.hpp"
#include "../../cuda/cuda_backend.hpp"
#include "../../cuda/devices.hpp"
#include "../../datasets/dataset.hpp"
#include "../../mlp/model/model.hpp"
#include "../flags/global_options.hpp"

/// Chooses between the CPU and a device.
namespace mlp::cli {

/// What this build and this machine have of devices; tests have others.
struct Devices {
  bool is_compiled = cuda::is_compiled();
  std::function<cuda::DeviceReport()> find = cuda::find_devices;
  std::function<const Backend&(const cuda::BackendOptions&)> open =
      cuda::backend;
};

/// Returns true if only devices compute in this precision.
[[nodiscard]] bool needs_device(Precision precision);

/// Opens the device that --device names, or that the precision needs: it becomes the
/// backend of the options.
///
/// \throws NotCompiled or DeviceError if there is none
void open_requested_device(GlobalOptions& options, Precision precision,
                           const Devices& devices = {});

/// Chooses the device of --device auto by predicting the time of both, and says why
/// with -v. A device becomes the backend of the options if it saves much time;
/// otherwise they stay as they are. No library of CUDA is opened for work that no
/// device makes faster.
///
/// \param measure  returns the seconds of the CPU per instance and evaluation;
///                 called only for large work
void choose_device(GlobalOptions& options, const cuda::Work& work,
                   const std::function<double()>& measure,
                   const Devices& devices = {});

/// Returns true if choose_device() may choose a device for so much work.
[[nodiscard]] bool may_choose_device(const GlobalOptions& options,
                                     const cuda::Work& work,
                                     const Devices& devices = {});

/// Chooses the device of --device auto for a training.
///
/// \param params    with the layers
/// \param data      that is trained on
/// \param num_fits  trainings of this size
void choose_training_device(GlobalOptions& options, const Params& params,
                            Precision precision, const datasets::Dataset& data,
                            Index num_fits);

/// Chooses the device of --device auto for the prediction of instances.
///
/// \param features  [num_features x num_instances]
void choose_scoring_device(GlobalOptions& options, const Model& model,
                           const Matrix& features);

/// Says what was predicted: "--device auto: the CPU needs about 20 s, ..."
///
/// \param device_seconds  of the device, or infinite if there is none
/// \param device          describes it, or says why there is none
[[nodiscard]] std::string describe_choice(double cpu_seconds,
                                          double device_seconds,
                                          const std::string& device);

}  // namespace mlp::cli
