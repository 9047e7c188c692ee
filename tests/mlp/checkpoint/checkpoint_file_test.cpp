// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/checkpoint/checkpoint_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <random>
#include <string>

#include "../../killed_writer.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

using test::InFolder;
using test::ScratchFolder;

const Checkpoint kFirst{"solver adam\nseed 1\n", std::string("\0state 1", 8)};
const Checkpoint kSecond{"solver adam\nseed 1\n", "state 2"};

std::string read(const std::string& path) {
  return read_file<ModelError>(path);
}

/// The message of the error that reading a file of these bytes gives.
std::string refusal(const ScratchFolder& folder, const std::string& bytes) {
  const std::string path = folder.write("refused", bytes);
  return test::thrown_message<ModelError>(
      [&] { return read_checkpoint(path); });
}

void flip_bit(std::string& bytes, std::size_t position) {
  bytes[position] = static_cast<char>(bytes[position] ^ 1);
}

/// A folder with a checkpoint.
struct Written : InFolder {
  Written() { write_checkpoint(path, kFirst); }

  const std::string path = folder / "run";
};

}  // namespace

TEST_SUITE("mlp/checkpoint/checkpoint_file") {
  TEST_CASE_FIXTURE(InFolder, "reads back what it wrote") {
    const std::string path = folder / "run";

    write_checkpoint(path, kFirst);
    const auto checkpoint = read_checkpoint(path);

    REQUIRE(checkpoint);
    CHECK(checkpoint->fingerprint == kFirst.fingerprint);
    CHECK(checkpoint->state == kFirst.state);
  }

  TEST_CASE_FIXTURE(InFolder, "finds nothing where there is no file") {
    CHECK_FALSE(read_checkpoint(folder / "run"));
  }

  TEST_CASE_FIXTURE(Written, "keeps the checkpoint before and no third one") {
    const std::string first = read(path);

    write_checkpoint(path, kSecond);
    CHECK(read(previous_checkpoint(path)) == first);
    CHECK(read_checkpoint(path)->state == kSecond.state);
    write_checkpoint(path, kSecond);

    CHECK(read(previous_checkpoint(path)) == read(path));
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE_FIXTURE(Written,
                    "takes the checkpoint before where the newest is missing") {
    write_checkpoint(path, kSecond);

    std::filesystem::remove(path);

    CHECK(read_checkpoint(path)->state == kFirst.state);
  }

  TEST_CASE_FIXTURE(Written,
                    "takes the checkpoint before where the newest is damaged") {
    write_checkpoint(path, kSecond);
    const std::string whole = read(path);

    for (const std::size_t size : {std::size_t{0}, whole.size() - 1}) {
      folder.write("run", whole.substr(0, size));

      CHECK(read_checkpoint(path)->state == kFirst.state);
    }
  }

  TEST_CASE_FIXTURE(Written,
                    "keeps the good checkpoint if the next write fails") {
    write_checkpoint(path, kSecond);
    folder.write("run", "damaged");

    REQUIRE(read_checkpoint(path)->state == kFirst.state);
    write_checkpoint(path, kSecond);
    folder.write("run", "damaged");

    CHECK(read_checkpoint(path)->state == kFirst.state);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "rejects two damaged files and names the newest") {
    const std::string path = folder.write("run", "");
    folder.write("run.previous", "mlp-checkpoint 2\n");

    CHECK_THROWS_WITH_AS(
        read_checkpoint(path),
        (path + ": is not a checkpoint; expected a file that begins with "
                "'mlp-checkpoint 2'")
            .c_str(),
        ModelError);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "rejects a file that is empty or of another kind") {
    const std::string sentence =
        folder / "refused" +
        ": is not a checkpoint; expected a file that begins with "
        "'mlp-checkpoint 2'";

    CHECK(refusal(folder, "") == sentence);
    CHECK(refusal(folder, "{}") == sentence);
  }

  TEST_CASE_FIXTURE(InFolder, "says that a checkpoint is of another version") {
    CHECK(refusal(folder, "mlp-checkpoint 1\nabc") ==
          folder / "refused" +
              ": is a checkpoint of another version of mlp; expected one that "
              "begins with 'mlp-checkpoint 2'; end that training with the "
              "version that began it, or remove the file to start from the "
              "beginning");
  }

  TEST_CASE_FIXTURE(Written, "rejects a file that is cut at any byte") {
    const std::string whole = read(path);

    for (std::size_t size = 17; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK(refusal(folder, whole.substr(0, size)) ==
            folder / "refused" +
                ": is damaged: its checksum does not match; remove it to start "
                "from the beginning");
    }
  }

  TEST_CASE_FIXTURE(Written, "rejects a file with a flipped bit anywhere") {
    const std::string whole = read(path);

    for (std::size_t i = 0; i < whole.size(); ++i) {
      CAPTURE(i);
      std::string damaged = whole;
      flip_bit(damaged, i);
      CHECK_FALSE(refusal(folder, damaged).empty());
    }
    CHECK(refusal(folder, whole).empty());
  }

  TEST_CASE_FIXTURE(Written, "rejects bytes behind the checksum") {
    CHECK_FALSE(refusal(folder, read(path) + "\n").empty());
  }

  TEST_CASE_FIXTURE(InFolder,
                    "keeps both generations beside the target of a link") {
    std::filesystem::create_directory(folder / "inner");
    std::filesystem::create_symlink("inner/run", folder / "link");

    write_checkpoint(folder / "link", kFirst);
    write_checkpoint(folder / "link", kSecond);
    std::filesystem::remove(folder / "inner/run");

    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(previous_checkpoint(folder / "link") ==
          folder / "inner/run.previous");
    CHECK(read_checkpoint(folder / "link")->state == kFirst.state);
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE_FIXTURE(Written, "keeps the permissions of the file") {
    const auto owner_only = std::filesystem::perms(0600);
    std::filesystem::permissions(path, owner_only);

    write_checkpoint(path, kSecond);

    CHECK(std::filesystem::status(path).permissions() == owner_only);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a pipe and leaves it where it is") {
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    CHECK_THROWS_WITH_AS(
        write_checkpoint(folder / "pipe", kFirst),
        (folder / "pipe" + ": cannot be replaced: it is a device or a pipe; "
                           "expected a regular file; name another file")
            .c_str(),
        ResourceError);
    CHECK(std::filesystem::is_fifo(folder / "pipe"));
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(
      Written,
      "leaves both generations in place where the new one does not fit") {
    write_checkpoint(path, kSecond);

    const bool is_written = test::run_in_process([&] {
      const rlimit limit{1000, 1000};
      ::signal(SIGXFSZ, SIG_IGN);
      ::setrlimit(RLIMIT_FSIZE, &limit);
      write_checkpoint(path, {"", std::string(2000, 'x')});
    });

    CHECK_FALSE(is_written);
    CHECK(read_checkpoint(path)->state == kSecond.state);
    std::filesystem::remove(path);
    CHECK(read_checkpoint(path)->state == kFirst.state);
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("leaves a whole generation after 200 kills") {
    constexpr int kNumKills = 200;
    const ScratchFolder folder;
    const std::string path = folder / "run";
    std::mt19937 random(13);
    REQUIRE(test::run_in_process([&] { write_checkpoint(path, kFirst); }));

    int num_whole = 0;
    for (int i = 0; i < kNumKills; ++i) {
      test::kill_while_writing(
          [&](int) {
            write_checkpoint(path, kFirst);
            write_checkpoint(path, kSecond);
          },
          random);
      const std::string state = read_checkpoint(path)->state;
      num_whole += state == kFirst.state || state == kSecond.state ? 1 : 0;
    }
    const bool is_written =
        test::run_in_process([&] { write_checkpoint(path, kFirst); });

    CHECK(num_whole == kNumKills);
    CHECK(is_written);
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE_FIXTURE(InFolder, "fails where the file cannot be written") {
    CHECK_THROWS_AS(write_checkpoint(folder / "missing/run", kFirst),
                    ResourceError);
  }

  TEST_CASE("takes the state of the same training") {
    CHECK(take_state(kFirst, kFirst.fingerprint, "run") == kFirst.state);
  }

  TEST_CASE("rejects the state of another training and names the difference") {
    CHECK_THROWS_WITH_AS(
        take_state(kFirst, "solver adam\nseed 2\n", "run"),
        "run: belongs to another training: it was written with 'seed 1', and "
        "this training has 'seed 2'; remove it to start from the beginning",
        ModelError);
    CHECK_THROWS_WITH_AS(
        take_state(kFirst, "solver adam\nseed 1\ndata 7\n", "run"),
        "run: belongs to another training: it was written with '', and this "
        "training has 'data 7'; remove it to start from the beginning",
        ModelError);
  }

  TEST_CASE("does not print digests of changed data") {
    const auto with_data = [](char digit) {
      return Checkpoint{"data " + std::string(64, digit) + '\n', "state"};
    };

    CHECK_THROWS_WITH_AS(
        take_state(with_data('1'), with_data('2').fingerprint, "run"),
        "run: belongs to another training: the training data have changed "
        "since it was written; remove it to start from the beginning",
        ModelError);
  }
}

}  // namespace mlp
