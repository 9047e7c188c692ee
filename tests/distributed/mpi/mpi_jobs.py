#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Starts jobs of mlp_mpi_worker with mpirun and looks at how they end.

Usage: mpi_jobs.py WORKER PLUGIN [Jobs.test_NAME]
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WORKER, PLUGIN = sys.argv[1:3]
LOST_EXIT_CODE = 7
# A deadline of 1 s, starting mpirun, and a machine that does other things too.
MAX_SECONDS = 15.0
# Sums of 300,001 numbers, with a sanitizer that makes them ten times slower.
MAX_SECONDS_OF_SUMS = 120.0


def launcher():
    """mpirun and the flags that it needs in a small container, as root too."""
    says = subprocess.run(["mpirun", "--version"], capture_output=True,
                          text=True, check=False).stdout
    if "Open MPI" in says or "OpenRTE" in says:
        return ["mpirun", "--oversubscribe", "--bind-to", "none"]
    return ["mpirun"]


def environment():
    """Open MPI refuses root, and containers the copies between processes.

    The sanitizers see into MPI, which is not built with them: it keeps memory
    until the end and unloads the code that did, so that no list can name it,
    and what orders its threads is unseen. Both still watch the worker, and the
    address sanitizer all of its memory but for leaks.
    """
    found = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                 OMPI_MCA_btl_vader_single_copy_mechanism="none")
    for tool, option in (("ASAN", "detect_leaks=0"),
                         ("TSAN", "ignore_noninstrumented_modules=1")):
        name = f"{tool}_OPTIONS"
        found[name] = f"{found.get(name, '')} {option}"
    return found


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, scenario, num_ranks, max_seconds=MAX_SECONDS):
        """Runs a job to its end; its exit code, output and seconds."""
        begin = time.monotonic()
        job = subprocess.Popen(
            [*launcher(), "-np", str(num_ranks), WORKER, PLUGIN,
             str(self.folder), scenario],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment(), start_new_session=True)
        try:
            output, _ = job.communicate(timeout=max_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            output, _ = job.communicate()
            self.fail(f"the job hangs: {output}")
        return job.returncode, output, time.monotonic() - begin

    def sentences(self):
        return {file.read_text() for file in self.folder.glob("lost-*")}

    def num_done(self):
        return len(list(self.folder.glob("done-*")))

    def assert_sums(self, num_ranks):
        code, output, _ = self.start("sums", num_ranks,
                                     MAX_SECONDS_OF_SUMS)

        self.assertEqual(code, 0, output)
        self.assertEqual(self.num_done(), num_ranks, output)
        self.assertEqual(self.sentences(), set())

    def assert_late(self, scenario, calls=("MPI_Allreduce",)):
        code, output, _ = self.start(scenario, 3)
        late = {
            f"{call} must end within 1 s; it has not; a rank is lost or "
            "stopped, or computes for longer, and MPI cannot tell which; find "
            "that rank and run again" for call in calls}

        self.assertEqual(code, LOST_EXIT_CODE, output)
        self.assertTrue(late & self.sentences(), output)
        self.assertEqual(self.num_done(), 0)

    def test_sums_on_1_rank(self):
        self.assert_sums(1)

    def test_sums_on_2_ranks(self):
        self.assert_sums(2)

    def test_sums_on_3_ranks(self):
        self.assert_sums(3)

    def test_sums_on_4_ranks(self):
        self.assert_sums(4)

    def test_rank_is_killed(self):
        code, output, seconds = self.start("killed", 3)

        self.assertNotEqual(code, 0, output)
        self.assertLess(seconds, 5.0)
        self.assertEqual(self.num_done(), 0)

    def test_rank_stops_calling(self):
        self.assert_late("silent")

    def test_rank_is_stopped(self):
        self.assert_late("stopped")

    def test_rank_gives_up(self):
        # The rank that gives up waits for the others, and they for its sum.
        self.assert_late("gives_up", ("MPI_Allreduce", "MPI_Barrier"))

        # No rank is in MPI_Finalize when the job is aborted: mpirun would hang.
        self.assertNotIn("MPI_Finalize", "".join(self.sentences()))

    def test_rank_leaves(self):
        code, output, _ = self.start("leaves", 3)

        self.assertNotEqual(code, 0, output)
        self.assertEqual(self.num_done(), 0)

    def test_rank_cancels(self):
        code, output, _ = self.start("cancels", 3)

        self.assertEqual(code, LOST_EXIT_CODE, output)
        self.assertIn("the disk is full", self.sentences())
        self.assertEqual(self.num_done(), 0)


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("test skipped: there is no mpirun")
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
