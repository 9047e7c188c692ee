#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/headers.md: one line for each header, made of its comment.

Usage: header_map.py [--check] [ROOT]
    (none)   writes ROOT/docs/headers.md
    --check  names each header whose line in docs/headers.md is stale, missing or
             left over; exits 1 on any

The line of a header is the first sentence of one of its comments:
1. the `//` comment directly after `#pragma once`, if there is one; in an -inl
   header the one before its guard, up to an empty line of the comment;
2. else the `///` comment of the class or function that has the file's name;
3. else the first `///` comment.
"""

import pathlib
import re
import sys

from check_style import LIBRARY, SKIPPED

PAGE = "docs/headers.md"
PREAMBLE = """# All headers

`tools/header_map.py` writes this page from the headers' comments. Change the comment, then run it; a test compares both.
A header is included by its path: `#include <mlp/classifier.hpp>` below an include folder of the library. Files named
`-inl.hpp` are parts of the kernels that are compiled once for each instruction set; they are not installed for users. docs/library.md lists
the public ones.
"""
FILE_COMMENT = re.compile(
    r"^(?:#pragma once\n\n|// SPDX-License-Identifier.*\n\n)"
    r"((?://(?!/| Included once| For sources).*\n)+)", re.M)
COMMENT = re.compile(r"^[ \t]*///.*\n(?:[ \t]*///.*\n)*", re.M)
# A /// comment in front of these speaks of the whole header.
FILE_LEVEL = re.compile(r"\s*(?:#include|HWY_BEFORE_NAMESPACE|namespace\b)")
TABLE_LINE = re.compile(r"^(\| \[[^]]+\]\(\.\./([^)]+)\).*)$", re.M)
PARTS = re.compile(r"[_-]")
SENTENCE = re.compile(r".*?(?<!\.)[.!?](?=\s|$)")
DECLARED = re.compile(
    r"(?:template\s*<[^{;]*?>\s*)?(?:requires[^\n]*\n)?(?:\[\[nodiscard\]\]\s*)?"
    r"(?:(?:class|struct|enum class|enum|concept|using)\s+(?P<type>\w+)"
    r"|(?:[\w:<>,*&\s]+?[\s*&])(?P<function>\w+)\s*\()")


def sentence_of(lines):
    """The first sentence of a comment's lines, as one line of Markdown."""
    paragraph = []
    for line in lines:
        text = line.strip().lstrip("/").strip()
        if not text or text.startswith("\\"):
            break
        paragraph.append(text)
    text = " ".join(paragraph)
    match = SENTENCE.match(text)
    found = match[0] if match else text
    return found.rstrip(".").replace("|", r"\|")


def file_comment(text):
    """The lines of the comment that speaks of the whole header."""
    match = FILE_COMMENT.search(text)
    if match:
        return match[1].splitlines()
    for match in COMMENT.finditer(text):
        if FILE_LEVEL.match(text, match.end()):
            return match[0].splitlines()
    return []


def doc_comments(text):
    """Yields (lines of a /// comment, the name that it documents)."""
    for match in COMMENT.finditer(text):
        declared = DECLARED.match(text[match.end():match.end() + 600].lstrip())
        name = declared and (declared["type"] or declared["function"])
        yield match[0].splitlines(), name or ""


def plain(name):
    """A name without what tells its spelling: batch_norm as BatchNorm."""
    return PARTS.sub("", name).lower()


def summary(path, text):
    """The sentence that says what a header is, or an empty one."""
    comment = file_comment(text)
    if comment:
        return sentence_of(comment)
    wanted = plain(path.stem.removesuffix("-inl"))
    comments = list(doc_comments(text))
    for lines, name in comments:
        if plain(name) == wanted:
            return sentence_of(lines)
    return sentence_of(comments[0][0]) if comments else ""


def find_headers(root):
    """The headers of the library and the program, in the order of the page."""
    for folder in (*LIBRARY, "cli"):
        found = [path.relative_to(root) for path in (root / folder).rglob("*.hpp")
                 if not any(SKIPPED.fullmatch(part) for part in
                            path.relative_to(root).parts)]
        # The folder's own headers before its sub-folders'.
        yield from sorted(found, key=lambda p: (p.parent.as_posix(), p.name))


def page_lines(root):
    """The lines of the page, and the line of each header by its path."""
    lines, by_header, folder = PREAMBLE.splitlines(), {}, None
    for path in find_headers(root):
        if path.parent != folder:
            folder = path.parent
            level = "#" * (2 + (len(folder.parts) > 1))
            lines += ["", f"{level} {folder.as_posix()}/", "",
                      "| header | what it is |", "|---|---|"]
        text = (root / path).read_text(encoding="utf-8")
        line = (f"| [{path.name}](../{path.as_posix()}) | "
                f"{summary(path, text)} |")
        by_header[path.as_posix()] = line
        lines.append(line)
    return lines, by_header


def stale(page, lines, by_header):
    """Yields a complaint for each difference between page and headers."""
    present = {path: line for line, path in TABLE_LINE.findall(page)}
    for path, line in by_header.items():
        if line.endswith("|  |"):
            yield f"{path}: has no comment that says what it is"
        elif path not in present:
            yield f"{path}: has no line in {PAGE}"
        elif present[path] != line:
            yield (f"{path}: its line in {PAGE} is stale; expected '{line}', "
                   f"got '{present[path]}'")
    for path in sorted(present.keys() - by_header.keys()):
        yield f"{PAGE}: names {path}, which is not there"
    if present == by_header and page.splitlines() != lines:
        yield f"{PAGE}: its headings, order or first lines are stale"


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    root = (pathlib.Path(words[0]).resolve() if words
            else pathlib.Path(__file__).resolve().parent.parent)
    lines, by_header = page_lines(root)
    path = root / PAGE
    if "--check" not in sys.argv[1:]:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"wrote {path}: {len(by_header)} headers")
        return 0
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    complaints = list(stale(page, lines, by_header))
    for complaint in complaints:
        print(complaint)
    print(f"{len(by_header)} headers: {len(complaints)} complaints")
    if complaints:
        print("tools/header_map.py writes the page anew")
    return 1 if complaints or not by_header else 0


if __name__ == "__main__":
    sys.exit(main())
