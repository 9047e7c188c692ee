// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../cuda_bf16.hpp"  // the emulation instead of the toolkit
