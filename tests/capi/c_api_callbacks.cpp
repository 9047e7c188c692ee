// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/* The C interface from C++: a callback that throws, and errors of several threads. */
#include <stdexcept>
#include <string>
#include <thread>

#include "c_api_check.h"

static int throws(void* user, int64_t iteration, double) {
  if (iteration == 2) throw std::runtime_error(static_cast<char*>(user));
  return 1;
}

static void an_exception_of_a_callback_is_an_error() {
  char reason[] = "the disk is full";
  mlp_params* params = make_params();
  mlp_model* model = nullptr;
  mlp_fit_options options;
  CHECK(mlp_fit_options_init(&options) == MLP_OK);
  options.num_threads = 2;
  options.on_iteration = throws;
  options.user = reason;

  REFUSED(mlp_fit(params, kFeatures, kLabels, 4, 2, &options, &model),
          MLP_PARAM_ERROR,
          "on_iteration must not throw; got an exception: the disk is full");

  CHECK(model == nullptr);
  options.on_iteration = nullptr;
  CHECK(mlp_fit(params, kFeatures, kLabels, 4, 2, &options, &model) == MLP_OK);
  mlp_model_free(model);
  mlp_params_free(params);
}

static void each_thread_has_its_own_last_error() {
  std::string other;
  CHECK(mlp_model_num_features(nullptr) == -1);
  const std::string own = mlp_last_error();

  std::thread thread([&other] {
    CHECK(std::string(mlp_last_error()).empty());
    CHECK(mlp_model_load(nullptr, nullptr) == MLP_PARAM_ERROR);
    CHECK(mlp_params_set(nullptr, "seed", "1") == MLP_PARAM_ERROR);
    other = mlp_last_error();
  });
  thread.join();

  CHECK(other == "params must not be NULL");
  CHECK(own == "model must not be NULL");
  CHECK(own == mlp_last_error());
}

int main() {
  each_thread_has_its_own_last_error();
  an_exception_of_a_callback_is_an_error();
  mlp_model_free(train(nullptr));
  puts("the C interface keeps exceptions and threads apart");
  return 0;
}
