// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A library that can be loaded and is no plugin.

extern "C" int answer() { return 42; }
