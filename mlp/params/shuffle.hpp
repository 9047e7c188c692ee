// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../../core/names.hpp"

namespace mlp {

/// What the epochs of mini-batches shuffle. The first epoch always shuffles the rows.
enum class Shuffle {
  kAuto,  ///< slabs if the features are in a file, else rows
  kRows,  ///< each epoch shuffles all rows
  kSlabs  ///< later epochs shuffle slabs: contiguous runs of the order of the first
};

inline constexpr auto kShuffleNames = std::to_array<Named<Shuffle>>({
    {Shuffle::kAuto, "auto"},
    {Shuffle::kRows, "rows"},
    {Shuffle::kSlabs, "slabs"},
});

}  // namespace mlp
