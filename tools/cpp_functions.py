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
# The parenthesis of the parameters: behind a name that is no keyword.
PARAMETERS = re.compile(
    r"(?<!\w)(?!(?:decltype|noexcept|requires|alignas|__attribute__|explicit"
    r"|__launch_bounds__|sizeof)\b)"
    r"(?:operator\s*(?:\(\s*\)|[^\s\w(]+|[\w ]+)|~?\w+(?:<[^()]*>)?)\s*\(")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)


def blank(match):
    """The text with everything but its line ends made invisible."""
    return re.sub(r"[^\n]", " ", match[0])


def split_top(text, separator):
    """The text's parts between separators that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or letter == ">" and text[i - 1:i] != "-":
            depth -= 1
        elif letter == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


def num_parameters(head):
    """How many parameters a function has; head is the text before its brace."""
    found = PARAMETERS.search(head)
    if not found:
        return 0
    depth = 1
    end = found.end()
    while end < len(head) and depth > 0:
        depth += {"(": 1, ")": -1}.get(head[end], 0)
        end += 1
    inside = head[found.end():end - 1].strip()
    return len(split_top(inside, ",")) if inside not in ("", "void") else 0


def find_functions(text):
    """Yields (first line, number of lines, number of parameters) of every function
    with a body.

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
            head = code[opened_head_at:opened]
            if is_function:
                first = code.count("\n", 0, opened) + 1
                yield (first, code.count("\n", opened, at) + 1,
                       num_parameters(head))
            elif (code[opened - 1].isidentifier()
                  or head.count("(") > head.count(")")):
                # A member's initializer, or the default of a parameter.
                head_after = opened_head_at
        head_at = head_after
