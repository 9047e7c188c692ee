// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything for training and prediction in memory; needs only Eigen.
///
/// File readers are in datasets/, and the model file is in mlp/model_json.hpp.
/// Include these if you need them.

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "../core/version.hpp"
#include "../datasets/dataset.hpp"
#include "classifier.hpp"
#include "model.hpp"
#include "model/metrics.hpp"
#include "model/probability_metrics.hpp"
#include "params/params.hpp"
#include "params/preset.hpp"
#include "regressor.hpp"
