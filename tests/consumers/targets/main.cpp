// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Uses one target of the library, so that a program of it links nothing else.

#if defined(USES_MLP)
#include <mlp/network/topology.hpp>

int main() { return mlp::Topology({2, 3}).num_weights() == 9 ? 0 : 1; }

#elif defined(USES_COMPILED)
#include <datasets/load/load.hpp>
#include <exception>
#include <mlp/mlp.hpp>
#include <mlp/model_json.hpp>

#ifndef MLP_COMPILED
#error "mlp::compiled defines MLP_COMPILED"
#endif

/// Needs training, data files and models as JSON from the library.
int main() {
  try {
    const auto data = mlp::datasets::load("/nowhere.csv.gz", {});
    const auto fit = mlp::Classifier(mlp::Params()).fit(data.dataset);
    mlp::save_model("/nowhere.json", mlp::load_model("/nowhere.json"));
  } catch (const std::exception&) {
    return 0;
  }
  return 1;
}

#elif defined(USES_JSON)
#include <mlp/model_file/base64.hpp>
#include <nlohmann/json.hpp>

int main() { return nlohmann::json::parse("[1]").size() == 1 ? 0 : 1; }

#elif defined(USES_GZIP)
#include <zlib.h>

#include <datasets/binary/gzip.hpp>

int main() { return zlibVersion() != nullptr ? 0 : 1; }

#elif defined(USES_CPU)
#include <cpu/cpu_backend.hpp>

int main() { return mlp::cpu::usable_backends().empty() ? 1 : 0; }

#elif defined(USES_OPENBLAS)
#include <exception>
#include <openblas/openblas_backend.hpp>

/// Works with OpenBLAS and without it.
int main() {
  try {
    return mlp::openblas::backend().name() != nullptr ? 0 : 1;
  } catch (const std::exception&) {
    return 0;
  }
}

#elif defined(USES_GLOO)
#include <distributed/gloo/gloo_allreduce.hpp>

int main() { return mlp::distributed::probe_gloo("").refusal.empty() ? 1 : 0; }

#elif defined(USES_MPI)
#include <distributed/mpi/mpi_allreduce.hpp>

int main() { return mlp::distributed::probe_mpi("").refusal.empty() ? 1 : 0; }

#endif
