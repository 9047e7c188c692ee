// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What an OpenBLAS with integers of 64 bits says of itself: a test loads it and
// must be refused before it computes anything.

extern "C" {
void cblas_dgemm() {}
void cblas_sgemm() {}
void openblas_set_num_threads(int) {}
const char* openblas_get_corename() { return "Haswell"; }
const char* openblas_get_config() {
  return "OpenBLAS 0.3.21 USE64BITINT DYNAMIC_ARCH Haswell MAX_THREADS=64";
}
}
