# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of a Markdown page, and the commands and outputs in them."""

import dataclasses
import re

FENCE = re.compile(r"^(\s*)```(\w*)\s*$")
MARKER = re.compile(r"^\s*<!-- block: (.*?) -->\s*$")
SPAN = re.compile(r"`([^`]+)`")
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
# What two runs of one command may print differently.
TIMES = (
    (re.compile(rf"{NUMBER} instances/s"), "# instances/s"),
    (re.compile(rf"^(seconds +){NUMBER}"), r"\1#"),
    (re.compile(rf"\b{NUMBER} ?(ns|us|ms|s|seconds|min|minutes)\b"), r"# \1"),
)
# Kernels without a fused multiply-add round twice, and a long path then differs.
ROUNDING = (
    (re.compile(rf"(objective *){NUMBER}"), r"\1#"),
    (re.compile(rf"step {NUMBER}"), "step #"),
    (re.compile(r"\d+ evaluations"), "# evaluations"),
)


@dataclasses.dataclass
class Block:
    """One fenced block."""
    line: int  # of its first line, 1-based
    language: str
    marker: str  # the comment before it, or an empty text
    lines: list

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    def commands(self):
        """Yields (line number, command, lines of output expected).

        A command begins with "$ " and goes on where a line ends in a backslash.
        What comes before the first command is left out.
        """
        found = []
        is_open = False
        for number, line in enumerate(self.lines, self.line):
            if is_open:
                found[-1][1].append(line)
            elif line.startswith("$ "):
                found.append((number, [line[2:]], []))
            elif found:
                found[-1][2].append(line)
                continue
            else:
                continue
            is_open = line.endswith("\\")
        for number, command, output in found:
            yield number, "\n".join(command), output

    def command_lines(self):
        """Yields (line number, command); every line is one without any "$ "."""
        if any(line.startswith("$ ") for line in self.lines):
            yield from ((line, command.replace("\\\n", " "))
                        for line, command, _ in self.commands())
            return
        joined, first = "", None
        for number, line in enumerate(self.lines, self.line):
            first = first or number
            joined += line
            if joined.endswith("\\"):
                joined = joined[:-1]
                continue
            if joined.strip() and not joined.lstrip().startswith("#"):
                yield first, joined
            joined, first = "", None


def read_blocks(text):
    """The blocks of a page, in order."""
    blocks, marker, block, indent = [], "", None, ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if block is not None:
            if fence and not fence[2]:
                blocks.append(block)
                block = None
            else:
                block.lines.append(line.removeprefix(indent))
        elif fence:
            block = Block(number + 1, fence[2], marker, [])
            indent, marker = fence[1], ""
        elif line.strip():
            found = MARKER.match(line)
            marker = found[1] if found else ""
    return blocks


def code_spans(text):
    """Yields (line number, text) of what stands between backticks."""
    is_fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            is_fenced = not is_fenced
        elif not is_fenced:
            for match in SPAN.finditer(line):
                yield number, match[1].replace("\\|", "|")


def masked(line, is_exact):
    """A line of output without what may differ between two runs."""
    for pattern, mask in TIMES if is_exact else TIMES + ROUNDING:
        line = pattern.sub(mask, line)
    return line.rstrip()


def first_difference(expected, got, is_exact):
    """The position and both lines where two outputs differ, or None."""
    for i in range(max(len(expected), len(got))):
        sides = [side[i] if i < len(side) else None for side in (expected, got)]
        if None in sides or masked(sides[0], is_exact) != masked(sides[1], is_exact):
            return i, *("nothing more" if side is None else f"'{side}'"
                        for side in sides)
    return None
