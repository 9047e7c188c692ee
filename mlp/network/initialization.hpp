// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace mlp {

/// How the weights of a layer with n inputs and m outputs are drawn. Biases are 0,
/// but for Spark's.
enum class Initialization {
  kSpark,          ///< weights and biases uniform in +-2.4 / sqrt(n)
  kXavierUniform,  ///< uniform in +-sqrt(6 / (n + m)): Glorot and Bengio 2010
  kXavierNormal,   ///< variance 2 / (n + m)
  kHeUniform,      ///< uniform in +-sqrt(6 / n): He et al. 2015
  kHeNormal,       ///< variance 2 / n
  kLecunUniform,   ///< uniform in +-sqrt(3 / n): LeCun et al. 1998
  kLecunNormal,    ///< variance 1 / n
  kOrthogonal,     ///< orthonormal rows or columns: Saxe et al. 2014
};

/// A name of an initialisation. The first of several is the one that is written.
struct InitializationName {
  Initialization initialization;
  std::string_view name;
};

inline constexpr std::array<InitializationName, 14> kInitializationNames{{
    {Initialization::kSpark, "spark"},
    {Initialization::kXavierUniform, "xavier-uniform"},
    {Initialization::kXavierNormal, "xavier-normal"},
    {Initialization::kHeUniform, "he-uniform"},
    {Initialization::kHeNormal, "he-normal"},
    {Initialization::kLecunUniform, "lecun-uniform"},
    {Initialization::kLecunNormal, "lecun-normal"},
    {Initialization::kOrthogonal, "orthogonal"},
    {Initialization::kXavierUniform, "xavier"},
    {Initialization::kXavierUniform, "glorot"},
    {Initialization::kXavierUniform, "glorot-uniform"},
    {Initialization::kXavierNormal, "glorot-normal"},
    {Initialization::kHeNormal, "he"},
    {Initialization::kLecunNormal, "lecun"},
}};

/// Returns the name that the command line and the documents use.
[[nodiscard]] constexpr std::string_view initialization_name(
    Initialization initialization) {
  for (const InitializationName& known : kInitializationNames) {
    if (known.initialization == initialization) return known.name;
  }
  return {};
}

/// Finds an initialisation by any of its names.
[[nodiscard]] constexpr std::optional<Initialization> find_initialization(
    std::string_view name) {
  for (const InitializationName& known : kInitializationNames) {
    if (known.name == name) return known.initialization;
  }
  return std::nullopt;
}

}  // namespace mlp
