// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "cublas_functions.hpp"

#include "../../core/error.hpp"

namespace mlp::cuda {

SharedLibrary open_cublas() {
  return {"cuBLAS",
          {"libcublas.so.13", "libcublas.so.12"},
          "install cuBLAS 12 or 13, for example NVIDIA's package "
          "libcublas-13-0, or set LD_LIBRARY_PATH to its folder"};
}

namespace {

CublasFunctions load() try {
  const SharedLibrary library = open_cublas();
  CublasFunctions functions;
  library.find("cublasCreate_v2", functions.create);
  library.find("cublasDestroy_v2", functions.destroy);
  library.find("cublasSetStream_v2", functions.set_stream);
  library.find("cublasSetWorkspace_v2", functions.set_workspace);
  library.find("cublasSetMathMode", functions.set_math_mode);
  library.find("cublasGetStatusString", functions.get_status_string);
  library.find("cublasGemmEx", functions.gemm_ex);
  return functions;
} catch (const ResourceError& error) {
  throw DeviceError(error.what());
}

}  // namespace

const CublasFunctions& cublas_functions() {
  static const CublasFunctions functions = load();
  return functions;
}

}  // namespace mlp::cuda
