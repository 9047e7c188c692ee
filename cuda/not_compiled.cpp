// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

namespace mlp::cuda {

DeviceReport find_devices() {
  DeviceReport report;
  report.refusal =
      "the CUDA backend is not part of this build; install the CUDA Toolkit, "
      "configure with -DMLP_WITH_CUDA=ON and build again";
  return report;
}

}  // namespace mlp::cuda
