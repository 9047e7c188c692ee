# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What was measured, kept in a file of JSON lines: an interrupted comparison goes on."""
import json

import measure


KEY = ("table", "peer", "version", "seed")


class Results:
    """The records by what their members KEY name; of equal ones the last."""

    def __init__(self, path):
        self._path = path
        self._found = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._keep(json.loads(line))

    def _keep(self, record):
        seeds = self._found.setdefault(tuple(record[name] for name in KEY[:-1]), {})
        seeds[record["seed"]] = record

    def add(self, record):
        self._keep(record)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def get(self, key, cpu_limit):
        """Returns the record of the key, or None if it has to be measured. If a seed was
        out of time, the others are too, unless the limit is higher now."""
        seeds = self._found.get(tuple(key[name] for name in KEY[:-1]), {})
        own = seeds.get(key["seed"])
        if own is not None and own.get("failed") != measure.OUT_OF_TIME:
            return own
        for record in seeds.values():
            if record.get("failed") == measure.OUT_OF_TIME \
                    and record["cpuLimit"] >= cpu_limit:
                return record
        return None
