// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../../core/atomic_file.hpp"
#include "../../core/error.hpp"
#include "../../core/read_file.hpp"
#include "rendezvous.hpp"

namespace mlp::distributed {

/// A rendezvous through a folder that all processes can reach.
///
/// Each rank writes a unique name into `rank-R.hello`. Rank 0 writes a unique
/// word for this group and the names of all ranks into `group`. A rank takes
/// part once it reads its own name there, and uses that word in the names of
/// all later files. Files of an earlier group, even one that crashed in the
/// same folder, have other names and are ignored; rank 0 removes them. If a
/// hello changes while the group is forming, because a process was restarted,
/// rank 0 begins another group.
///
/// Two groups need two folders while they form. On a network file system a
/// file may take some seconds to be seen elsewhere.
class DirectoryRendezvous final : public Rendezvous {
 public:
  /// \param path  of the folder, created if it is missing
  /// \param timeout_seconds  > 0: the longest wait for the other ranks in each
  ///                         call of all_gather()
  /// \throws ParamError for an invalid rank, size or timeout
  DirectoryRendezvous(std::string path, int rank, int world_size,
                      double timeout_seconds)
      : path_(std::move(path)),
        rank_(rank),
        world_size_(world_size),
        timeout_seconds_(timeout_seconds),
        name_(fresh_name()),
        start_(Clock::now()) {
    detail::check_place(rank, world_size, timeout_seconds);
  }

  DirectoryRendezvous(const DirectoryRendezvous&) = delete;
  DirectoryRendezvous& operator=(const DirectoryRendezvous&) = delete;

  /// Removes this rank's files; rank 0 first gives the others a second to read
  /// the last of them. Remaining files do not disturb later groups.
  ~DirectoryRendezvous() override {
    try {
      leave();
    } catch (const std::exception&) {
      // A file that cannot be removed does no harm.
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  /// \throws CommunicationError naming the missing ranks, the seconds and the
  ///         folder, or that two processes have this rank
  /// \throws ResourceError if the folder cannot be read or written
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    if (world_size_ == 1) return {text};
    start_ = Clock::now();
    if (num_calls_ == 0) say_hello();
    std::vector<std::string> texts;
    for (Pause pause; !try_gather(text, texts); pause.take()) {
      if (num_calls_ == 0) check_rank_is_ours();
      if (Clock::now() - start_ >
          std::chrono::duration<double>(timeout_seconds_)) {
        throw_missing();
      }
    }
    write(file_of_call("read", rank_), "");
    // All have written this call's text, so all have read the one before.
    if (num_calls_ > 0) remove(own_text_);
    own_text_ = file_of_call("text", rank_);
    ++num_calls_;
    return texts;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Sleeps longer each time, up to 20 ms.
  class Pause {
   public:
    void take() {
      std::this_thread::sleep_for(length_);
      length_ = std::min(2 * length_, std::chrono::milliseconds(20));
    }

   private:
    std::chrono::milliseconds length_{1};
  };

  /// Returns 128 random bits as letters.
  static std::string fresh_name() {
    std::random_device device;
    std::string name;
    for (int i = 0; i < 4; ++i) {
      std::array<char, 9> text{};
      std::snprintf(text.data(), text.size(), "%08x",
                    static_cast<unsigned>(device()));
      name += text.data();
    }
    return name;
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return path_ + '/' + name;
  }
  [[nodiscard]] std::string hello_of(int rank) const {
    return file("rank-" + std::to_string(rank) + ".hello");
  }
  [[nodiscard]] std::string clash_of(int rank) const {
    return file("rank-" + std::to_string(rank) + ".clash");
  }
  [[nodiscard]] std::string file_of_call(const std::string& kind,
                                         int rank) const {
    return file(group_ + ".call-" + std::to_string(num_calls_) + ".rank-" +
                std::to_string(rank) + '.' + kind);
  }

  void write(const std::string& path, const std::string& text) const {
    write_atomically<ResourceError>(path, text);
  }

  /// \return true if the file exists
  static bool read(const std::string& path, std::string& text) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return false;
    try {
      text = read_file<ResourceError>(path);
      return true;
    } catch (const ResourceError&) {
      // It was removed since, or a network file system does not show it yet.
      return false;
    }
  }

  static void remove(const std::string& path) {
    std::error_code error;
    std::filesystem::remove(path, error);
  }

  void say_hello() {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) {
      throw ResourceError(
          path_,
          "cannot be used as the folder of a rendezvous: " + error.message());
    }
    write(hello_of(rank_), name_);
  }

  /// \return true if the texts of all ranks are there
  bool try_gather(const std::string& text, std::vector<std::string>& texts) {
    if (num_calls_ == 0 && !(rank_ == 0 ? form_group() : join_group())) {
      return false;
    }
    if (written_call_ != file_of_call("text", rank_)) {
      written_call_ = file_of_call("text", rank_);
      write(written_call_, text);
    }
    texts.assign(static_cast<std::size_t>(world_size_), "");
    for (int r = 0; r < world_size_; ++r) {
      if (!read(file_of_call("text", r), texts[static_cast<std::size_t>(r)])) {
        return false;
      }
    }
    return true;
  }

  /// Rank 0 writes the group as soon as the hellos of all ranks are there, and
  /// again if one of them changes.
  bool form_group() {
    std::string names;
    for (int r = 0; r < world_size_; ++r) {
      std::string name;
      // A rank that has all the texts removes its hello.
      if (!read(hello_of(r), name)) return !group_.empty();
      names += name + '\n';
    }
    if (names == names_) return true;
    names_ = names;
    group_ = fresh_name();
    remove_other_groups();
    write(file("group"), group_ + '\n' + names);
    return true;
  }

  bool join_group() {
    std::string text;
    if (!read(file("group"), text)) return false;
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (lines.size() != static_cast<std::size_t>(world_size_) + 1 ||
        lines[static_cast<std::size_t>(rank_) + 1] != name_) {
      return false;
    }
    group_ = lines.front();
    return true;
  }

  /// Checks that no other process has the same rank. The first of two finds its
  /// hello overwritten, and writes a file that tells the second.
  void check_rank_is_ours() const {
    std::string name;
    const bool is_overwritten = read(hello_of(rank_), name) && name != name_;
    if (is_overwritten) write(clash_of(rank_), name);
    if (is_overwritten || (read(clash_of(rank_), name) && name == name_)) {
      throw CommunicationError(
          rank_, "each rank must be one process; two processes joined " +
                     path_ +
                     " with this rank; give each process its own rank, and "
                     "each group its own folder");
    }
  }

  [[noreturn]] void throw_missing() const {
    std::vector<int> missing;
    for (int r = 0; r < world_size_; ++r) {
      std::error_code error;
      const std::string sign =
          group_.empty() ? hello_of(r) : file_of_call("text", r);
      if (!std::filesystem::exists(sign, error)) missing.push_back(r);
    }
    // Hellos of processes that have ended may hide which rank is missing; rank
    // 0 has not seen all.
    if (missing.empty()) missing.push_back(0);
    const std::string sentence =
        std::string("nothing received from ")
            .append(detail::list_ranks(missing) + " of " +
                    std::to_string(world_size_) + " within ")
            .append(detail::seconds_text(timeout_seconds_) + " s in " + path_)
            .append(
                "; check that all ranks were started with this folder and this "
                "world size");
    if (missing.size() > 1) throw CommunicationError(sentence);
    throw CommunicationError(missing.front(), sentence);
  }

  void remove_other_groups() const {
    std::error_code error;
    for (std::filesystem::directory_iterator at(path_, error), end;
         !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      const bool is_message =
          name.ends_with(".text") || name.ends_with(".read");
      if (is_message && name.find(".call-") != std::string::npos &&
          !name.starts_with(group_)) {
        remove(at->path().string());
      }
    }
  }

  void leave() {
    if (world_size_ == 1) return;
    std::string name;
    if (read(hello_of(rank_), name) && name == name_) remove(hello_of(rank_));
    if (read(clash_of(rank_), name) && name == name_) remove(clash_of(rank_));
    if (rank_ != 0 || num_calls_ == 0) return;
    --num_calls_;  // the last one that was complete
    constexpr std::chrono::seconds kLastReaders{1};
    const Clock::time_point end = Clock::now() + kLastReaders;
    for (Pause pause; !is_read_by_all(); pause.take()) {
      if (Clock::now() > end) return;
    }
    remove(file("group"));
    group_ += '-';  // so that it belongs to another group
    remove_other_groups();
  }

  [[nodiscard]] bool is_read_by_all() const {
    for (int r = 0; r < world_size_; ++r) {
      std::error_code error;
      if (!std::filesystem::exists(file_of_call("read", r), error)) {
        return false;
      }
    }
    return true;
  }

  std::string path_;
  int rank_;
  int world_size_;
  double timeout_seconds_;
  std::string name_;   ///< of this process
  std::string names_;  ///< of all ranks, as rank 0 has read them
  std::string group_;  ///< the word of the group; empty until it is known
  std::string own_text_;
  std::string written_call_;
  Clock::time_point start_;
  std::size_t num_calls_ = 0;
};

}  // namespace mlp::distributed
