// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/arrow/arrow_fields.hpp"
#include "../../../datasets/arrow/arrow_stream.hpp"
#include "arrow_memory.hpp"

namespace mlp::test {

/// Makes a file that can be opened many times and gives the columns that are asked for.
inline datasets::ArrowFile arrow_file(std::string name,
                                      std::vector<ArrowTable> batches,
                                      Index num_rows = -1) {
  const auto open = [name, batches](const std::vector<Index>& wanted) {
    std::vector<ArrowTable> chosen;
    for (const ArrowTable& columns : batches) {
      ArrowTable& some = chosen.emplace_back();
      for (const Index at : wanted) {
        some.push_back(columns[static_cast<std::size_t>(at)]);
      }
      if (wanted.empty()) some = columns;
    }
    // The batches live as long as the stream.
    auto* const memory = new ArrowBatches(chosen);
    ArrowArrayStream stream = memory->stream();
    stream.release = [](ArrowArrayStream* from) {
      delete static_cast<ArrowBatches*>(from->private_data);
      from->release = nullptr;
    };
    return std::make_shared<datasets::ArrowStream>(stream, name);
  };
  return {std::move(name), open, num_rows};
}

}  // namespace mlp::test
