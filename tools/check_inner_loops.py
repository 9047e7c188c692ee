#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Reports inner loops of the products that keep vectors on the stack.

    tools/check_inner_loops.py LIBRARY...

A loop of multiply-adds whose sums the compiler loads and stores for each term takes
twice the time, and computes the same bits: only its instructions tell. LIBRARY is an
object file or a static library that was compiled with optimisation. The exit status is
1 if a loop uses the stack, or if no loop was found.
"""
import re
import subprocess
import sys

PRODUCT = re.compile(r"::(multiply_(columns|few_columns|listed_columns|lanes|row)"
                     r"|add_lane_products)<")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t([a-z0-9{},]+) *(.*)$")
TARGET = re.compile(r"^([0-9a-f]+) <")
ON_STACK = re.compile(r"\(%rsp[),]|-0x[0-9a-f]+\(%rbp[),]")
STORED = re.compile(r"%[xyz]mm\d+,[^,]*\([^()]*\)$")
VECTOR = re.compile(r"%[xyz]mm")


def read_functions(library):
    """Yields (name, instructions) of each function; an instruction is (address,
    operation, operands)."""
    listing = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", "--demangle", library],
        check=True, capture_output=True, text=True).stdout
    name, instructions = "", []
    for line in listing.splitlines():
        if match := FUNCTION.match(line):
            if instructions:
                yield name, instructions
            name, instructions = match[1], []
        elif match := INSTRUCTION.match(line):
            instructions.append((int(match[1], 16), match[2], match[3]))
    if instructions:
        yield name, instructions


def successors_of(instructions):
    """The places that may follow each instruction."""
    places = {address: i for i, (address, _, _) in enumerate(instructions)}
    result = []
    for i, (_, operation, operands) in enumerate(instructions):
        target = TARGET.match(operands) if operation.startswith("j") else None
        follows = [] if operation in ("jmp", "ret") else [i + 1]
        if target and int(target[1], 16) in places:
            follows.append(places[int(target[1], 16)])
        result.append([place for place in follows if place < len(instructions)])
    return result


def back_edges(successors):
    """The edges from the end of a loop to its head, by a search in depth."""
    edges, done, path = [], set(), {0}
    stack = [(0, iter(successors[0]))]
    while stack:
        place, follows = stack[-1]
        following = next(follows, None)
        if following is None:
            stack.pop()
            path.discard(place)
            done.add(place)
        elif following in path:
            edges.append((place, following))
        elif following not in done:
            path.add(following)
            stack.append((following, iter(successors[following])))
    return edges


def inner_loops(instructions):
    """The loops that contain no other loop, as lists of instructions."""
    successors = successors_of(instructions)
    predecessors = [[] for _ in instructions]
    for i, follows in enumerate(successors):
        for place in follows:
            predecessors[place].append(i)
    loops = {}
    for end, head in back_edges(successors):
        body, waiting = {head}, [end]
        while waiting:
            place = waiting.pop()
            if place not in body:
                body.add(place)
                waiting += predecessors[place]
        loops.setdefault(head, set()).update(body)
    return [[instructions[i] for i in sorted(body)] for head, body in loops.items()
            if not any(other in body for other in loops if other != head)]


def is_multiply_add(operation):
    return operation.startswith(("vfmadd", "vfnmadd"))


def findings_of(instructions):
    """Counts the loops of multiply-adds, and lists their uses of the stack."""
    num_loops, findings = 0, []
    for loop in inner_loops(instructions):
        if not any(is_multiply_add(operation) for _, operation, _ in loop):
            continue
        num_loops += 1
        findings += [f"{operation} {operands}" for _, operation, operands in loop
                     if VECTOR.search(operands)
                     and (ON_STACK.search(operands) or STORED.search(operands))]
    return num_loops, findings


def main(libraries):
    num_loops = num_bad = 0
    for library in libraries:
        for name, instructions in read_functions(library):
            if not PRODUCT.search(name):
                continue
            count, findings = findings_of(instructions)
            num_loops += count
            if findings:
                num_bad += 1
                print(f"{library}: {name}: {len(findings)} vectors in memory in an inner "
                      f"loop, such as {findings[0]}")
    print(f"{num_loops} inner loops of multiply-adds, {num_bad} functions with vectors on "
          "the stack")
    return 1 if num_bad or not num_loops else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
