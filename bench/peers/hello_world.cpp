// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The least that a program can do, linked as mlp is: the floor of start-up.

#include <iostream>

int main() { std::cout << "Hello, world\n"; }
