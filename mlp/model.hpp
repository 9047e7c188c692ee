// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trained network, as users include it: predict, probability, raw prediction,
// hidden output.
#include "model/model.hpp"  // IWYU pragma: export
