# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a C++ file without a compiler."""

import re

HIDDEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'", re.S)
NOT_A_FUNCTION = re.compile(
    r"\b(if|for|while|switch|catch|namespace|class|struct|union|enum|do|else"
    r"|try|return|concept|TEST_SUITE)\b|=\s*$|\]\s*\([^()]*\)[^()]*$")
TEMPLATE_PARAMETER = re.compile(r"\b(class|typename)\b(?=[\s.\w]*[,>=])")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)


def blank(match):
    """The text with everything but its line ends made invisible."""
    return re.sub(r"[^\n]", " ", match[0])


def find_functions(text):
    """Yields (first line, number of lines) of every function body.

    The lines counted run from the opening brace's to the closing one's.
    A lambda belongs to the function around it.
    """
    code = DIRECTIVE.sub(blank, HIDDEN.sub(blank, text))
    stack = []  # of (offset of the brace, start of its head, is_function)
    head_at = 0
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        head_after = at + 1
        if match[0] == "{":
            head = TEMPLATE_PARAMETER.sub("", code[head_at:at])
            is_function = (")" in head and not code[at - 1].isidentifier()
                           and not any(inside for *_, inside in stack)
                           and not NOT_A_FUNCTION.search(head))
            stack.append((at, head_at, is_function))
        elif match[0] == "}" and stack:
            opened, opened_head_at, is_function = stack.pop()
            if is_function:
                first = code.count("\n", 0, opened) + 1
                yield first, code.count("\n", opened, at) + 1
            elif code[opened - 1].isidentifier():
                head_after = opened_head_at  # a member's initializer
        head_at = head_after
