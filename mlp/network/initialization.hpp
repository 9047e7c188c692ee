// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace mlp {

/// The methods to draw the initial weights of a layer.
///
/// n is the number of inputs, m the number of outputs. Biases are 0, except
/// with kSpark.
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

/// A name of an initialisation. If there are several, the first one is written
/// to files.
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

/// Returns the name used by the command line and the documentation.
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
