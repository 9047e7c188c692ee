# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Processor time of a session of Spark, which other programs on the machine change little."""
import os
import pathlib

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds():
    """Returns the seconds that this process and all below it have used until now."""
    parents, seconds = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            # The name before the parenthesis may have blanks.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        process = int(folder.name)
        parents[process] = int(fields[1])
        # Its own time, in user mode and in the system, and that of its children that have ended.
        seconds[process] = sum(map(int, fields[11:15])) / TICKS
    return sum(seconds[process] for process in parents if is_below(process, parents))


def is_below(process, parents):
    while process in parents:
        if process == os.getpid():
            return True
        process = parents[process]
    return False
