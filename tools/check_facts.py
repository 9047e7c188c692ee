#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the documents with the tables of the code: names, hyper-parameters
and exit codes.

Usage: check_facts.py [--fix] WRITE_FACTS [ROOT]
WRITE_FACTS is the program made of tests/facts/write_facts.cpp. --fix writes
what the tables say into the documents. Prints file, line and sentence of each
difference; exits 1 on any.
"""

import json
import pathlib
import re
import subprocess
import sys

SCHEMA = "docs/model.schema.json"
MAX_SCHEMA_WIDTH = 80

# The lists that a document must name in full, each at least once, as names in
# backticks: `a`, `b` or `c`.
LISTS = {
    "docs/network.md": ("activations", "initializations", "scheduleForms"),
    "docs/model-format.md": ("activations", "initializations",
                             "convergenceReasons", "miniBatchSolvers",
                             "scheduleForms"),
}

# The lists whose names stand in a document one by one.
MENTIONS = {
    "docs/model-format.md": ("losses", "precisions"),
    "docs/distributed.md": ("transports", "wireTypes"),
}

# Tables of a document whose first column holds names, by the table's header.
NAME_TABLES = {
    "docs/network.md": ("| `--solver` |", "solvers"),
    "docs/model-format.md": ("| member | value |\n|---|---|\n| `init`",
                             "networkParams"),
}
EXIT_TABLE = "| exit code | meaning |\n|---|---|\n"

RUN = re.compile(r'`"?[^`"\s]+"?`(?:(?:,\s+(?:or\s+)?|\s+(?:or|and)\s+)'
                 r'`"?[^`"\s]+"?`)+')
NAME = re.compile(r'`"?([^`"]+?)"?`')


class Facts:
    """What the tables of the code say."""

    def __init__(self, program):
        done = subprocess.run([program], check=True, capture_output=True,
                              text=True)
        read = json.loads(done.stdout)
        self.lists = read["lists"]
        self.params = [p for p in read["params"] if p["stored"] != "never"]
        self.exit_codes = read["exitCodes"]
        reasons = self.lists["convergenceReasons"]
        # A model without a known training comes last.
        self.lists["convergenceReasons"] = reasons[1:] + reasons[:1]
        self.lists["networkParams"] = [p["name"] for p in self.params
                                       if p["stored"] == "whenSet"]


class Documents:
    """The documents below a root folder, and what differs in them."""

    def __init__(self, root):
        self.root = root
        self.texts = {}
        self.findings = []

    def text(self, file):
        if file not in self.texts:
            path = self.root / file
            self.texts[file] = path.read_text(encoding="utf-8")
        return self.texts[file]

    def replace(self, file, start, end, by, sentence):
        """Sets a part of a document; says so if it was another."""
        text = self.text(file)
        if text[start:end] == by:
            return
        line = text.count("\n", 0, start) + 1
        self.findings.append(f"{file}:{line}: {sentence}")
        self.texts[file] = text[:start] + by + text[end:]

    def lack(self, file, sentence):
        self.findings.append(f"{file}:1: {sentence}")

    def write(self):
        for file, text in self.texts.items():
            (self.root / file).write_text(text, encoding="utf-8")


def joined_like(run, names):
    """The names with the quotes and the last separator of a run."""
    quote = '"' if '`"' in run else ""
    parts = [f"`{quote}{name}{quote}`" for name in names]
    last = NAME.split(run)[-3]
    return ", ".join(parts[:-1]) + last + parts[-1]


def check_list(documents, file, names, title):
    """Each run of names that has most names of a list is the list."""
    begin, found = 0, False
    while match := RUN.search(documents.text(file), begin):
        begin = match.end()
        received = NAME.findall(match[0])
        if 2 * len(set(received) & set(names)) <= len(names):
            continue
        found = True
        if received != names:
            text = joined_like(match[0], names)
            documents.replace(file, *match.span(), text,
                              f"expected the {title} {', '.join(names)}")
    if not found:
        documents.lack(file, f"expected the {title} as a list in backticks")


def table_rows(text, header):
    """Where the rows below a header start and end; None without the table."""
    at = text.find(header)
    if at < 0:
        return None
    start = text.index("|---", at)
    start = text.index("\n", start) + 1
    rows = re.compile(r"(?:\|.*\n)*").match(text, start)
    return rows.span()


def check_name_table(documents, file, header, names, params):
    """The first column of a table holds all names in their order; --fix adds
    the row of a hyper-parameter."""
    span = table_rows(documents.text(file), header)
    if span is None:
        documents.lack(file, f"expected a table {header.splitlines()[0]}")
        return
    rows = documents.text(file)[slice(*span)].splitlines(keepends=True)
    received = [NAME.findall(row.split("|")[1]) for row in rows]
    kept = [(group, row) for group, row in zip(received, rows)
            if set(group) <= set(names)]
    known = {name for group, _ in kept for name in group}
    intervals = {p["name"]: p["interval"] for p in params}
    for name in names:
        if name not in known:
            text = f"| `{name}` | {intervals.get(name, 'to be described')} |\n"
            kept.append(([name], text))
    kept.sort(key=lambda entry: names.index(entry[0][0]))
    documents.replace(file, *span, "".join(row for _, row in kept),
                      f"expected a row for each of {', '.join(names)}")


def check_exit_codes(documents, exit_codes):
    span = table_rows(documents.text("docs/command-line.md"), EXIT_TABLE)
    if span is None:
        documents.lack("docs/command-line.md", "expected the table of exit codes: "
                       + EXIT_TABLE.splitlines()[0])
        return
    rows = "".join(f"| {e['code']} {e['name']} | {e['meaning']} |\n"
                   for e in exit_codes)
    documents.replace("docs/command-line.md", *span, rows,
                      "expected the exit codes of cli/console/exit_code.hpp")


def enum_text(key, names, indent):
    """A member of the schema, laid out as the others are."""
    pad = " " * indent
    items = ", ".join(json.dumps(name) for name in names)
    line = f'{pad}"{key}": {{"enum": [{items}]}}'
    if len(line) + 1 <= MAX_SCHEMA_WIDTH:
        return line
    lines, current = [], ""
    for name in names:
        item = json.dumps(name) + ("" if name == names[-1] else ",")
        if current and len(pad) + 4 + len(current) + 1 + len(item) > 80:
            lines.append(current)
            current = ""
        current = f"{current} {item}" if current else item
    lines.append(current)
    body = "\n".join(f"{pad}    {line}" for line in lines)
    return f'{pad}"{key}": {{\n{pad}  "enum": [\n{body}\n{pad}  ]\n{pad}}}'


def member(text, key, begin=0, indent=None):
    """Where a member of the schema stands, without its comma."""
    pad = r" *" if indent is None else " " * indent
    match = re.compile(rf'^{pad}"{key}": ', re.M).search(text, begin)
    if match is None:
        return None
    _, end = json.JSONDecoder().raw_decode(text, match.end())
    return match.start(), end


def scalar_text(param, indent):
    """The member of the schema for one hyper-parameter; None for those whose
    schema is written by hand."""
    pad = " " * indent
    if param["choices"] and not param["isList"]:
        return enum_text(param["name"], param["choices"], indent)
    if "bounds" in param:
        return f'{pad}"{param["name"]}": {json.dumps(param["bounds"])}'
    if param["isSwitch"]:
        return f'{pad}"{param["name"]}": {{"type": "boolean"}}'
    return None


def check_schema_params(documents, params):
    indent = 8
    at, _ = member(documents.text(SCHEMA), "params", indent=4)
    for param in params:
        text = documents.text(SCHEMA)
        expected = scalar_text(param, indent)
        span = member(text, param["name"], at, indent)
        if span is not None:
            if expected is not None:
                documents.replace(SCHEMA, *span, expected, "expected "
                                  + expected.strip())
            at = member(documents.text(SCHEMA), param["name"], at, indent)[1]
        elif expected is not None:
            # Behind the one before it, which has a comma of its own or none.
            documents.replace(SCHEMA, at, at, ",\n" + expected,
                              "expected " + expected.strip())
            at += len(",\n" + expected)
        else:
            documents.lack(SCHEMA, f"expected the member {param['name']}")
    names = [p["name"] for p in params]
    properties = json.loads(documents.text(SCHEMA))["properties"]["params"]
    if list(properties["properties"]) != names:
        documents.lack(SCHEMA, "expected the params " + ", ".join(names))


def check_schema_lists(documents, lists):
    for key, title in (("loss", "losses"), ("precision", "precisions")):
        text = documents.text(SCHEMA)
        start, end = member(text, key)
        indent = len(text[start:]) - len(text[start:].lstrip(" "))
        documents.replace(SCHEMA, start, end,
                          enum_text(key, lists[title], indent),
                          f"expected the {title} {', '.join(lists[title])}")
    text = documents.text(SCHEMA)
    start, end = member(text, "convergenceReason")
    reasons = lists["convergenceReasons"]
    documents.replace(
        SCHEMA, start, end,
        enum_text("convergenceReason", reasons[-1:] + reasons[:-1], 8),
        "expected the convergence reasons")
    one = "|".join(lists["activations"])
    match = re.search(r'"\^\(\?:sigmoid\|.*"', documents.text(SCHEMA))
    documents.replace(SCHEMA, *match.span(),
                      f'"^(?:{one})(?:,(?:{one}))*$"',
                      f"expected the activations {one}")
    schema = json.loads(documents.text(SCHEMA))
    params = schema["properties"]["params"]["properties"]
    forms = re.search(r"\(\?:(.*?)\)\(", params["schedule"]["pattern"])[1]
    names = [form.split(":")[0] for form in forms.split("|")]
    if sorted(names) != sorted(lists["schedules"]):
        documents.lack(SCHEMA, "expected the schedules "
                       + ", ".join(lists["schedules"]))
    spark = [s for s in lists["solvers"] if s not in lists["miniBatchSolvers"]]
    then = schema["then"]["properties"]["params"]["properties"]
    if then["solver"]["enum"] != spark:
        documents.lack(SCHEMA, "expected Spark's solvers " + ", ".join(spark))


def check(facts, documents):
    for file, titles in LISTS.items():
        for title in titles:
            check_list(documents, file, facts.lists[title], title)
    for file, titles in MENTIONS.items():
        for name in (n for title in titles for n in facts.lists[title]):
            if not re.search(rf"\b{re.escape(name)}\b", documents.text(file)):
                documents.lack(file, f"expected a word on {name}")
    for file, (header, title) in NAME_TABLES.items():
        check_name_table(documents, file, header, facts.lists[title],
                         facts.params)
    check_exit_codes(documents, facts.exit_codes)
    check_schema_params(documents, facts.params)
    check_schema_lists(documents, facts.lists)


def main():
    words = sys.argv[1:]
    is_fixing = "--fix" in words
    words = [word for word in words if word != "--fix"]
    here = pathlib.Path(__file__).resolve().parent.parent
    documents = Documents(pathlib.Path(words[1]) if len(words) > 1 else here)
    check(Facts(words[0]), documents)
    for finding in documents.findings:
        print(finding)
    if is_fixing:
        documents.write()
        return 0
    return 1 if documents.findings else 0


if __name__ == "__main__":
    sys.exit(main())
