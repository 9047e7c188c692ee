#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Lets each call to the C library fail, one run for each call.

Whatever fails, the program must end with a documented exit code and one
sentence, and each file must have its old content or its new content.

usage: run_faults.py PROGRAM LIBRARY DATA_FOLDER POINTS [WORDS]

POINTS is the number of calls of each kind that fail in each way, spread over
all calls of the kind; 0 stands for all. WORDS, where given, selects the
scenarios whose name contains them; without it, those of ranks that are
processes are left out, because they are slow.
"""

import collections
import errno
import hashlib
import os
import pathlib
import re
import resource
import sys
import tempfile
import time

from fault_server import Fault, FaultServer
from scenarios import all_scenarios, rank_scenarios, write_files

SUCCESS, DATA, MODEL, RESOURCES = 0, 3, 4, 6
MOST_REPORTED = 40

# How the calls of a kind fail, and with which exit codes the program may then
# end. After success its output must be the usual one.
UNNOTICED = {SUCCESS}
LOST = {RESOURCES}
MAYBE_LOST = {SUCCESS, RESOURCES}
UNREADABLE = {SUCCESS, DATA, MODEL, RESOURCES}
FAULTS = {
    "allocate": [("once", errno.ENOMEM, MAYBE_LOST),
                 ("onwards", errno.ENOMEM, MAYBE_LOST)],
    "open": [("once", errno.EMFILE, MAYBE_LOST),
             ("onwards", errno.EMFILE, MAYBE_LOST),
             ("once", errno.EACCES, UNREADABLE)],
    "read": [("once", errno.EIO, {SUCCESS, DATA, MODEL}),
             ("onwards", errno.EIO, {SUCCESS, DATA, MODEL}),
             ("once", errno.EINTR, UNNOTICED),
             ("alternate", errno.EINTR, UNNOTICED),
             ("short", 0, UNNOTICED)],
    "write": [("once", errno.EIO, LOST),
              ("onwards", errno.ENOSPC, LOST),
              ("once", errno.EINTR, UNNOTICED),
              ("alternate", errno.EINTR, UNNOTICED),
              ("short", 0, UNNOTICED)],
    "write message": [("onwards", errno.EIO, UNNOTICED),
                      ("once", errno.EINTR, UNNOTICED),
                      ("short", 0, UNNOTICED)],
    "sync": [("once", errno.EIO, LOST),
             ("onwards", errno.EIO, LOST),
             ("alternate", errno.EINTR, UNNOTICED)],
    "rename": [("once", errno.EIO, MAYBE_LOST),
               ("onwards", errno.ENOSPC, LOST)],
    "stat": [("once", errno.EIO, UNREADABLE),
             ("onwards", errno.EACCES, UNREADABLE)],
    "close": [("once", errno.EIO, MAYBE_LOST),
              ("onwards", errno.EIO, MAYBE_LOST)],
    "unlink": [("once", errno.EIO, MAYBE_LOST)],
    "folder": [("once", errno.ENOSPC, MAYBE_LOST)],
    "mode": [("once", errno.EPERM, MAYBE_LOST)],
    "link": [("once", errno.EIO, MAYBE_LOST)],
    "lock": [("once", errno.ENOLCK, UNNOTICED),
             ("alternate", errno.EINTR, UNNOTICED)],
    "map": [("onwards", errno.ENOMEM, MAYBE_LOST)],
    "thread": [("once", errno.EAGAIN, MAYBE_LOST),
               ("onwards", errno.EAGAIN, MAYBE_LOST)],
    "fork": [("once", errno.EAGAIN, LOST)],
}
# The C library ends a program that has no memory for the variables of a thread
# in a library that was loaded while it ran.
NOT_OURS = b"cannot allocate memory for thread-local data: ABORT"
# What can fail when a launcher removes the folder of its ranks.
REMOVAL = ("allocate", "open", "folder", "unlink")


class Folder:
    """The files of the commands, which are restored after each run."""

    def __init__(self, path):
        self.path = path
        self.before = self.read()

    def read(self):
        return {str(file.relative_to(self.path)): file.read_bytes()
                if file.is_file() else None for file in self.path.rglob("*")}

    def restore(self):
        after = self.read()
        for name in sorted(after.keys() - self.before.keys(), reverse=True):
            path = self.path / name
            path.rmdir() if path.is_dir() else path.unlink()
        for name, content in self.before.items():
            if after.get(name) != content:
                (self.path / name).write_bytes(content)


def without_times(text):
    """What a command prints, without the seconds it took."""
    return re.sub(rb'(?m)^( *"?seconds"?:? +).*$', rb"\1", text)


def is_checkpoint(content):
    """Whether a checkpoint is complete."""
    return content.startswith(b"mlp-checkpoint ") and content[-64:] == \
        hashlib.sha256(content[:-64]).hexdigest().encode()


class Checks:
    """What must be true after a run of a scenario."""

    def __init__(self, scenario, folder, undisturbed):
        self.scenario = scenario
        self.old = folder.before
        self.new = folder.read()
        self.stdout = without_times(undisturbed.stdout)

    def findings(self, fault, codes, result, files):
        """The sentences that say what is wrong."""
        if result.code is None:
            yield f"did not end within {self.scenario.deadline_seconds} s"
        elif NOT_OURS in result.stderr:
            return
        elif result.code not in codes:
            yield (f"expected exit {sorted(codes)}, got {result.code}: "
                   f"{result.stderr[-300:]}")
        elif result.code == SUCCESS:
            yield from self.wrong_results(result, files)
        else:
            yield from self.wrong_sentence(result)
        yield from self.wrong_files(fault, files)

    def wrong_results(self, result, files):
        if without_times(result.stdout) != self.stdout:
            yield "succeeded, but printed something else"
        for name in self.scenario.outputs:
            if name.endswith(".previous") or name == "timeline":
                continue
            if files.get(name) != self.new.get(name):
                yield f"succeeded, but wrote something else to {name}"

    def wrong_sentence(self, result):
        lines = result.stderr.splitlines()
        errors = [x for x in lines if x.startswith(b"mlp: error: ")]
        most = len(self.scenario.ranks)
        if not 1 <= len(errors) <= most:
            yield (f"exit {result.code} with {len(errors)} sentences: "
                   f"{result.stderr[-300:]}")

    def wrong_files(self, fault, files):
        for name, content in files.items():
            is_temporary = name not in self.old and name not in self.new
            if is_temporary:
                if not self.may_leave(fault, name, content):
                    yield f"left {name}"
            elif name in (self.scenario.checkpoint,
                          self.scenario.checkpoint + ".previous"):
                if not is_checkpoint(content):
                    yield f"{name} is not complete"
            elif content not in (self.old.get(name), self.new.get(name)) and \
                    name != "timeline":
                yield f"{name} has neither its old nor its new content"
        for name in self.old:
            if name not in files and name != self.scenario.checkpoint:
                yield f"lost {name}"

    def may_leave(self, fault, name, content):
        """Whether a file or folder is no temporary file that was forgotten."""
        if name == self.scenario.checkpoint + ".damaged":
            return content == self.old[self.scenario.checkpoint]
        # A model that cannot be written where it belongs.
        if name.startswith("mlp-model-"):
            return content in map(self.new.get, self.scenario.outputs)
        is_of_ranks = name.startswith("mlp-ranks-") and fault.rank < 0
        return fault.kind == "unlink" or (is_of_ranks and fault.kind in REMOVAL)

    def wrong_resume(self, result, files):
        """What is wrong after a training that continued a failed one."""
        if result.code != SUCCESS:
            yield f"cannot be resumed: exit {result.code}: {result.stderr}"
        elif files["model.json"] != self.new["model.json"]:
            yield "gives another model when it is resumed"


def points(count, most):
    """The calls that fail: all, or some from the first to the last."""
    if most == 0 or count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // max(1, most - 1)
                   for i in range(most)})


def faults_of(counts, most, rank):
    """The faults of a scenario and their exit codes."""
    for kind, ways in FAULTS.items():
        for mode, error, codes in ways:
            for at in points(counts[kind], most):
                yield Fault(kind, at, mode, error, rank), codes


class Run:
    """All runs of all scenarios."""

    def __init__(self, program, library, most, folder, scratch):
        self.program, self.library, self.most = program, library, most
        self.folder, self.scratch = Folder(folder), scratch
        self.findings = collections.Counter()
        self.num_runs = 0

    def start(self, scenario, words=()):
        scratch = self.scratch / str(len(words))
        scratch.mkdir(exist_ok=True)
        stdin = self.folder.path / scenario.stdin if scenario.stdin \
            else "/dev/null"
        # --resume takes the place of --force.
        kept = [word for word in scenario.words
                if not words or word != "--force"]
        return FaultServer(self.program, self.library, [*kept, *words],
                           self.folder.path, scratch, stdin,
                           scenario.deadline_seconds)

    def run(self, scenario):
        """All runs of a scenario."""
        start = time.monotonic()
        before = self.num_runs
        server = self.start(scenario)
        undisturbed = server.run()
        checks = Checks(scenario, self.folder, undisturbed)
        self.folder.restore()
        if undisturbed.code != SUCCESS:
            sys.exit(f"{scenario.name}: exit {undisturbed.code}: "
                     f"{undisturbed.stderr}")
        missing = [k for k in scenario.kinds if undisturbed.counts[k] == 0]
        if missing:
            self.say(scenario, f"has no calls of {', '.join(missing)}")
        is_resumable = scenario.checkpoint and "--resume" not in scenario.words
        resumed = self.start(scenario, ["--resume"]) if is_resumable else None
        for rank in scenario.ranks:
            self.run_process(scenario, server, resumed, checks, rank)
        server.close()
        if resumed:
            resumed.close()
        print(f"{scenario.name}: {self.num_runs - before} runs, "
              f"{time.monotonic() - start:.1f} s", flush=True)

    def run_process(self, scenario, server, resumed, checks, rank):
        """All runs in which calls of one process fail."""
        counts = server.run(Fault("allocate", 0, rank=rank)).counts
        self.folder.restore()
        most = min(self.most, scenario.most_points)
        for fault, codes in faults_of(counts, most, rank):
            result = server.run(fault)
            self.num_runs += 1
            codes = codes | scenario.other_codes
            files = self.folder.read()
            found = list(checks.findings(fault, codes, result, files))
            if resumed and result.code != SUCCESS:
                again = resumed.run()
                found += checks.wrong_resume(again, self.folder.read())
            for finding in found:
                self.say(scenario, f"{fault}: {finding}")
            self.folder.restore()

    def say(self, scenario, finding):
        self.findings[scenario.name] += 1
        if self.findings.total() <= MOST_REPORTED:
            print(f"{scenario.name}: {finding}", flush=True)


def main():
    """Runs the scenarios."""
    program, library, data, most = sys.argv[1:5]
    selected = sys.argv[5] if len(sys.argv) > 5 else ""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A folder in memory, where there is one: the files are restored often.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        folder, scratch = pathlib.Path(name) / "in", pathlib.Path(name) / "own"
        folder.mkdir()
        scratch.mkdir()
        write_files(program, pathlib.Path(data), folder)
        runs = Run(program, library, int(most), folder, scratch)
        scenarios = all_scenarios() + (rank_scenarios() if selected else [])
        for scenario in scenarios:
            if selected in scenario.name:
                runs.run(scenario)
    print(f"{runs.num_runs} runs, {runs.findings.total()} findings")
    sys.exit(1 if runs.findings or runs.num_runs == 0 else 0)


if __name__ == "__main__":
    main()
