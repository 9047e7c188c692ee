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

/// Workers meet in a folder that all can reach.
///
/// Each rank writes a name that nobody had before into `rank-R.hello`. Rank 0
/// writes the names of all, led by its word for this group, into `group`; a
/// rank takes part once it reads its own name there, and calls all later files
/// by that word. Files that an earlier group left, even one that crashed in the
/// same folder, bear other names and are not listened to; rank 0 removes them.
/// Where a hello changes while the group is forming, because a worker was
/// started anew, rank 0 begins another group.
///
/// Two groups need two folders while they form. On a network file system a
/// file may take some seconds to be seen elsewhere.
class DirectoryRendezvous final : public Rendezvous {
 public:
  /// \param path  of the folder, made where it is missing
  /// \param timeout_seconds  > 0: how long the ranks may be apart in each call
  ///                         of all_gather()
  /// \throws ParamError for a rank, size or timeout that cannot be
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
  /// the last of them. What is left disturbs no later group.
  ~DirectoryRendezvous() override {
    try {
      leave();
    } catch (const std::exception&) {
      // What cannot be removed may stay.
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  /// \throws CommunicationError naming the missing ranks, the seconds and the
  ///         folder, or telling that two workers have this rank
  /// \throws ResourceError where the folder cannot be read or written
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

  /// 128 random bits in letters.
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

  /// \return whether the file is there
  static bool read(const std::string& path, std::string& text) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return false;
    try {
      text = read_file<ResourceError>(path);
      return true;
    } catch (const ResourceError&) {
      // Gone since, or not yet seen by a network file system.
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
      throw ResourceError(path_, "cannot be made the folder of a rendezvous: " +
                                     error.message());
    }
    write(hello_of(rank_), name_);
  }

  /// \return whether all ranks' texts are there
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

  /// Rank 0 names the group as soon as all have said hello, and once more when
  /// one of them says it anew.
  bool form_group() {
    std::string names;
    for (int r = 0; r < world_size_; ++r) {
      std::string name;
      // Who has all the texts takes its hello away.
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

  /// Each of two workers with one rank learns of the other: who was first finds
  /// its hello gone, and tells the other so.
  void check_rank_is_ours() const {
    std::string name;
    const bool is_overwritten = read(hello_of(rank_), name) && name != name_;
    if (is_overwritten) write(clash_of(rank_), name);
    if (is_overwritten || (read(clash_of(rank_), name) && name == name_)) {
      throw CommunicationError(
          rank_, "each rank must be one worker; two came to " + path_ +
                     " with this rank; give each its own rank, and each group "
                     "its own folder");
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
    // Hellos of the dead may hide who is missing; rank 0 has not seen all.
    if (missing.empty()) missing.push_back(0);
    const std::string sentence =
        std::string("no word from ")
            .append(detail::list_ranks(missing) + " of " +
                    std::to_string(world_size_) + " within ")
            .append(detail::seconds_text(timeout_seconds_) + " s in " + path_)
            .append(
                "; check that all were started, with this folder and this "
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
    group_ += '-';  // so that it is another group's
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
  std::string name_;   ///< this worker's, in this life
  std::string names_;  ///< of all, as rank 0 has seen them
  std::string group_;  ///< the word of the group; empty before it has one
  std::string own_text_;
  std::string written_call_;
  Clock::time_point start_;
  std::size_t num_calls_ = 0;
};

}  // namespace mlp::distributed
