// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "table_output.hpp"

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/files/output_files.hpp"
#include "../console/usage_error.hpp"
#include "../data/data_file.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

namespace {

/// Writes to standard output, until its reader has ended.
void write_while_read(const std::function<void(const TextSink&)>& write_table) {
  try {
    write_table(write_output_part);
  } catch (const OutputUnread&) {
  }
}

}  // namespace

TableOutput::TableOutput(const CommandLine& line)
    : path_(FlagReader(line).text("out", "-")) {
  if (path_.ends_with(".gz")) {
    throw UsageError("--out: the table is not compressed, got '" + path_ +
                     "'; write " + path_.substr(0, path_.size() - 3) +
                     " and compress it, or pipe it into gzip");
  }
  OutputFiles files;
  files.add_input("MODEL", line.arguments[0]);
  for (const std::string& path : line.data()) {
    add_data_inputs(files, "DATA", path);
  }
  files.add_output("--out", path_, OutputKind::kAny);
  files.check_distinct();
  files.check_writable();
}

bool TableOutput::is_replaced() const {
  return path_ != "-" && !mlp::is_device_or_pipe(path_);
}

void TableOutput::write(const std::function<void(const TextSink&)>& write_table,
                        const std::string& contents,
                        const Console& console) const {
  if (path_ == "-") return write_while_read(write_table);
  write_pieces_atomically<ResourceError>(path_, write_table);
  console.note("wrote " + contents + " to " + path_);
}

void TableOutput::write(const std::string& table, const std::string& contents,
                        const Console& console) const {
  write([&](const TextSink& sink) { sink(table); }, contents, console);
}

}  // namespace mlp::cli
