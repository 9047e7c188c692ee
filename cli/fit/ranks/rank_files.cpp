// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../console/console.hpp"

namespace mlp::cli {

namespace {

/// A flag that names a file.
struct FileFlag {
  FlagName flag;
  bool is_input = true;

  /// Why all ranks share the file; empty if each rank can have a file of its own.
  std::string_view why_shared;
};

constexpr std::string_view kSameInput = "all ranks read the same file";

constexpr auto kFileFlags = std::to_array<FileFlag>({
    {"labels", true, ""},
    {"validation", true, kSameInput},
    {"warm-start", true, kSameInput},
    {"initial-weights", true, kSameInput},
    {"out", false, ""},
    {"checkpoint", false, "one file has the state of all ranks"},
    {"timeline", false, "one file has the timelines of all ranks"},
});

/// A file that the command line names.
struct NamedFile {
  std::string prefix;  ///< of a message
  std::string name;
  bool is_input;
  std::string_view why_shared;
};

std::vector<NamedFile> named_files(const std::vector<std::string>& data,
                                   const FlagReader& flags) {
  std::vector<NamedFile> files;
  for (const std::string& name : data) {
    files.push_back({"the data file", name, true, ""});
  }
  for (const FileFlag& file : kFileFlags) {
    const std::string name = flags.text(file.flag);
    const bool is_share =
        file.flag.view() == "validation" && parse_double(name);
    if (name.empty() || is_share) continue;
    files.push_back({"--" + std::string(file.flag.view()), name, file.is_input,
                     file.why_shared});
  }
  return files;
}

[[noreturn]] void refuse(const NamedFile& file, const std::string& sentence) {
  throw ParamError(file.prefix + ": " + sentence + "; got '" + file.name + "'");
}

/// Refuses {rank} where it has no meaning.
void check_rank_place(const NamedFile& file, bool has_processes) {
  if (!has_rank(file.name)) return;
  if (!file.why_shared.empty()) {
    refuse(file, "must be a name without {rank}, because " +
                     std::string(file.why_shared));
  }
  if (!has_processes) {
    refuse(file,
           "can contain {rank} only if the ranks are processes: with "
           "--transport gloo, mpi or nccl, --rendezvous or mpirun");
  }
}

/// Returns true if a file can be read by one process only, or only once.
bool is_stream(const std::string& name) {
  struct stat status {};
  if (name == "-" || name == "/dev/stdin" || name.starts_with("/dev/fd/") ||
      name.starts_with("/proc/")) {
    return true;
  }
  return ::stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

/// Refuses inputs that cannot be read by several processes.
void check_readable_by_all(const NamedFile& file) {
  if (!file.is_input || !is_stream(file.name)) return;
  refuse(file,
         "must be a regular file if the ranks are processes, because each of "
         "them reads it; save the data to a file, or use --transport threads");
}

/// Refuses {rank} in the names of some of several data files only.
void check_all_have_rank(const std::vector<std::string>& data) {
  for (const std::string& name : data) {
    if (has_rank(name) == has_rank(data.front())) continue;
    throw ParamError("the data files: must all contain {rank}, or none; got '" +
                     data.front() + "' and '" + name + "'");
  }
}

}  // namespace

void check_rank_files(const std::vector<std::string>& data,
                      const FlagReader& flags, const RankOptions& ranks) {
  const bool is_started_alone = !ranks.rendezvous.empty();
  const bool shares_input =
      ranks.is_launcher || ranks.transport == Transport::kMpi;
  const std::string* reader_of_stdin = nullptr;
  const std::vector<NamedFile> files = named_files(data, flags);
  for (const NamedFile& file : files) {
    check_rank_place(file, is_started_alone || shares_input);
    if (shares_input) check_readable_by_all(file);
    if (!file.is_input || file.name != "-") continue;
    if (reader_of_stdin != nullptr) {
      refuse(file, "cannot be standard input too, which is already " +
                       *reader_of_stdin + "; save one of them to a file");
    }
    reader_of_stdin = &file.prefix;
  }
  check_all_have_rank(data);
  const std::string labels = flags.text("labels");
  if (labels.empty() || has_rank(labels) == has_rank(data.front())) return;
  throw ParamError(
      "--labels: must contain {rank} if and only if the data file does; got '" +
      labels + "' for '" + data.front() + "'");
}

void warn_of_unread_files(const std::vector<std::string>& data,
                          int world_size) {
  for (const std::string& name : data) {
    const std::string next = file_of_rank(name, world_size);
    if (next == name || ::access(next.c_str(), F_OK) != 0) continue;
    write_warning(next + " exists, but there are only " +
                  std::to_string(world_size) + " ranks, so it is not read");
  }
}

}  // namespace mlp::cli
