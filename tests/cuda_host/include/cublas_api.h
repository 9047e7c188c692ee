// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../cublas_api.hpp"  // the imitation instead of the toolkit
