// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that trains and predicts, on Eigen alone. Readers of files lie in
// datasets/, the model file in mlp/model_json.hpp: include what you need.

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "../core/version.hpp"
#include "../datasets/dataset.hpp"
#include "classifier.hpp"
#include "model.hpp"
#include "model/metrics.hpp"
#include "params/params.hpp"
#include "regressor.hpp"
