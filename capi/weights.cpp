// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Models from weights, and the weights of a model for Spark.

#include <algorithm>
#include <cstdint>
#include <string>

#include "../core/error.hpp"
#include "../mlp/model/spark_weights.hpp"
#include "../mlp/model_file/assembled_document.hpp"
#include "guard.hpp"
#include "mlp/c_api.h"
#include "objects.hpp"

using mlp::capi::guarded;
using mlp::capi::require;
using mlp::capi::require_array;

mlp_status mlp_model_from_weights(const mlp_params* params,
                                  const double* weights, int64_t size,
                                  mlp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = nullptr;
    require(params, "params");
    require_array(weights, "weights");
    if (size < 0 || size > PTRDIFF_MAX / 8) {
      throw mlp::ParamError(
          "size", "must be the number of weights; got " + std::to_string(size));
    }
    *model = new mlp_model(mlp::document_of_weights(
        params->params, Eigen::Map<const mlp::Vector>(weights, size),
        mlp::cpu::backend()));
  });
}

mlp_status mlp_model_spark_weights(const mlp_model* model, int64_t size,
                                   double* weights) {
  return guarded([&] {
    require(model, "model");
    const mlp::Vector computed = mlp::spark_weights(model->document.model);
    if (size != computed.size()) {
      throw mlp::ParamError(
          "size", "must be " + std::to_string(computed.size()) +
                      ", the number of weights; got " + std::to_string(size));
    }
    require_array(weights, "weights");
    std::copy_n(computed.data(), size, weights);
  });
}

int64_t mlp_model_num_spark_weights(const mlp_model* model) {
  return mlp::capi::guarded_value<std::int64_t>(-1, [&] {
    require(model, "model");
    mlp::require_spark(model->document.model);
    return std::int64_t{mlp::count_spark_weights(model->document.model)};
  });
}
