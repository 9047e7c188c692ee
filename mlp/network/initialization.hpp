// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "../../core/names.hpp"

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

/// The names that are written.
inline constexpr auto kInitializationNames =
    std::to_array<Named<Initialization>>({
        {Initialization::kSpark, "spark"},
        {Initialization::kXavierUniform, "xavier-uniform"},
        {Initialization::kXavierNormal, "xavier-normal"},
        {Initialization::kHeUniform, "he-uniform"},
        {Initialization::kHeNormal, "he-normal"},
        {Initialization::kLecunUniform, "lecun-uniform"},
        {Initialization::kLecunNormal, "lecun-normal"},
        {Initialization::kOrthogonal, "orthogonal"},
    });

/// Other names that are read.
inline constexpr auto kInitializationAliases =
    std::to_array<Named<Initialization>>({
        {Initialization::kXavierUniform, "xavier"},
        {Initialization::kXavierUniform, "glorot"},
        {Initialization::kXavierUniform, "glorot-uniform"},
        {Initialization::kXavierNormal, "glorot-normal"},
        {Initialization::kHeNormal, "he"},
        {Initialization::kLecunNormal, "lecun"},
    });

/// Returns the name used by the command line and the documentation.
[[nodiscard]] constexpr std::string_view initialization_name(
    Initialization initialization) {
  return name_in(kInitializationNames, initialization);
}

/// Finds an initialisation by its name or an alias.
[[nodiscard]] constexpr std::optional<Initialization> find_initialization(
    std::string_view name) {
  const auto found = find_named(kInitializationNames, name);
  return found ? found : find_named(kInitializationAliases, name);
}

}  // namespace mlp
