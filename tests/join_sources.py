#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Joins sources of tests into one, which a compiler reads in a fraction of the time.

Usage: join_sources.py OUTPUT SOURCE...

Each test alone makes the compiler read Eigen and instantiate most of the
library; joined tests share that work. Each source gets a namespace of its own
in place of its share of the anonymous one, so that equal names of helpers do
not clash. Lines keep their numbers and files for messages.
"""

import os
import re
import sys

INCLUDE = re.compile(r'#include "(.+)"')
OPENS = re.compile(r"namespace (mlp[\w:]*) \{")
CLOSES = re.compile(r"\}  // namespace (mlp[\w:]*)")


def last_include(lines):
    """Returns the index of the line after the last include at the top."""
    includes = [i for i, line in enumerate(lines) if line.startswith("#include")]
    if not includes:
        sys.exit("join_sources.py: expected a source that includes something")
    return includes[-1] + 1


def absolute(line, folder):
    """Makes the include of a line find its file from any folder."""
    return INCLUDE.sub(
        lambda found: '#include "%s"' % os.path.normpath(
            os.path.join(folder, found[1])), line)


def separated(lines, name):
    """Puts what a source declares into a namespace of its own."""
    if not any(OPENS.fullmatch(line) for line in lines):
        return ["namespace %s { %s" % (name, lines[0])] + lines[1:] + ["}"]
    body = []
    for line in lines:
        if OPENS.fullmatch(line):
            line += " namespace %s {" % name
        elif CLOSES.fullmatch(line):
            line = "} " + line
        body.append(line)
    return body


def joined(source, name):
    """Returns the lines of a source as they stand among others."""
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    end = last_include(lines)
    head = [absolute(line, os.path.dirname(source)) for line in lines[:end]]
    return ['#line 1 "%s"' % source] + head + separated(lines[end:], name)


def main():
    output, *sources = sys.argv[1:]
    lines = []
    for number, source in enumerate(sources):
        lines += joined(os.path.abspath(source), "joined_%d" % number)
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
