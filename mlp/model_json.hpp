// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Saves and loads model files, and converts models to and from JSON.

#include "model_file/model_json.hpp"
