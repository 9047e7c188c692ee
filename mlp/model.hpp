// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A trained network: predictions, probabilities and hidden outputs.
#include "model/model.hpp"  // IWYU pragma: export
