// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "backends.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../cpu/cpu_backend.hpp"
#include "../../cuda/cuda_backend.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../openblas/openblas_backend.hpp"

namespace mlp::python {

namespace {

/// Returns the device of "cuda" or "cuda:N".
int device_index(const std::string& device) {
  constexpr std::string_view kPrefix = "cuda:";
  if (device == "cuda") return 0;
  if (device.starts_with(kPrefix)) {
    const std::int64_t index =
        parse_int(device.substr(kPrefix.size())).value_or(-1);
    if (index >= 0 && index <= std::numeric_limits<int>::max()) {
      return static_cast<int>(index);
    }
  }
  throw ParamError("device", "must be cpu, cuda or cuda:N with N >= 0; got '" +
                                 device + "'");
}

}  // namespace

const Backend& scoring_backend() { return cpu::backend(); }

const Backend& training_backend(const std::string& name,
                                const std::string& device) {
  if (device != "cpu") {
    if (name != "auto") {
      throw ParamError("backend", "must be auto with device " + device +
                                      "; got '" + name + "'");
    }
    return cuda::backend({device_index(device), 0});
  }
  if (name == "auto" || name == "cpu") return cpu::backend();
  if (name == "openblas") return openblas::backend();
  if (name == "reference") return reference_backend();
  throw ParamError(
      "backend",
      "must be auto, cpu, openblas or reference; got '" + name + "'");
}

}  // namespace mlp::python
