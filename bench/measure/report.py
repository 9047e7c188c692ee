# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What a run of the goals found, as a table, as Markdown and as JSON."""
import dataclasses
import json

from measure.pairs import percentile, quiet, seconds

MET, NOT_MET, NOISY = "met", "not met", "too noisy"
RAN, VOID, SKIPPED, FAILED = "ran", "void", "skipped", "failed"


@dataclasses.dataclass
class Row:
    """One figure of one goal."""
    goal: str
    what: str
    bound: float = None
    is_least: bool = True  # the figure must be at least the bound, or at most
    unit: str = ""
    ours: str = ""
    peer: str = ""
    values: list = dataclasses.field(default_factory=list)
    num_pairs: int = 0
    verdict: str = ""
    why: str = ""
    data: dict = dataclasses.field(default_factory=dict)

    def judge(self, is_short):
        """Decides by the quarter that is worst for us."""
        if self.verdict:
            return self
        if is_short:
            self.verdict = RAN
        elif len(self.values) * 2 < self.num_pairs or not self.values:
            self.verdict = NOISY
            self.why = f"{len(self.values)} of {self.num_pairs} pairs were quiet"
        elif self.bound is None:
            self.verdict = RAN
        else:
            worst = percentile(self.values, 0.25 if self.is_least else 0.75)
            is_met = worst >= self.bound if self.is_least else worst <= self.bound
            self.verdict = MET if is_met else NOT_MET
        return self

    def figure(self):
        """The median and the 10th to the 90th percentile."""
        if not self.values:
            return ""
        low, middle, high = (percentile(self.values, share)
                             for share in (0.1, 0.5, 0.9))
        return (f"{number(middle)}{self.unit} "
                f"({number(low)}..{number(high)})")

    def wanted(self):
        if self.bound is None:
            return ""
        return f"{'>=' if self.is_least else '<='} {number(self.bound)}{self.unit}"

    def cells(self):
        verdict = self.verdict + (f": {self.why}" if self.why else "")
        return [self.goal, self.what, self.ours, self.peer, self.figure(),
                self.wanted(), verdict]


GOAL_ORDER = ["A1", "A2", "A3", "S", "L", "G1", "B1", "B2", "B3", "B4", "B6", "M", "C1",
              "C2", "C3", "C4", "D1", "D2", "D3", "E1", "E2", "E3", "E4", "P1", "P2",
              "P3"]
DEVICE_GOAL_ORDER = ["A6", "A7", "B5"]
HEADINGS = ["goal", "what", "ours", "peer", "ratio (p10..p90)", "wanted",
            "verdict"]


def number(value):
    """Four digits that matter, without an exponent."""
    if value is None:
        return "none"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) < 1 else f"{value:.3f}".rstrip("0")[:5].rstrip(".")


def time_text(value):
    """Seconds in the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def size_text(num_bytes):
    """Bytes in the unit that suits them."""
    for unit, size in (("MB", 1_000_000), ("KB", 1000)):
        if num_bytes >= size:
            return f"{num_bytes / size:.4g} {unit}"
    return f"{num_bytes} B"


def ratio_row(goal, what, bound, measured, clock, count=lambda sample: 1.0):
    """The row of the peer's time over ours.

    count  how many pieces of work one repeat of a sample did
    """
    def each(sample):
        return seconds(sample, clock) / count(sample)

    kept = quiet(measured, clock)
    row = Row(goal, what, bound, True, "x", num_pairs=len(measured))
    row.values = [each(p.peer) / each(p.ours) for p in kept]
    shown = kept or measured
    row.ours = time_text(percentile([each(p.ours) for p in shown], 0.5))
    row.peer = time_text(percentile([each(p.peer) for p in shown], 0.5))
    return row


def time_row(goal, what, bound, unit, measured, count=lambda sample: 1.0):
    """The row of our CPU time for one piece of work.

    unit   " us" or " ns", of the bound and of the figure
    count  how many pieces of work one repeat of a sample did
    """
    def each(pair):
        return seconds(pair.ours, "cpu") / count(pair.ours)

    scale = {" us": 1e6, " ns": 1e9}[unit]
    row = Row(goal, what, bound, False, unit, num_pairs=len(measured))
    row.values = [scale * each(pair) for pair in quiet(measured, "cpu")]
    row.ours = time_text(percentile([each(pair) for pair in measured], 0.5))
    return row


def print_row(row):
    """One line, as soon as it is known."""
    goal, what, ours, peer, figure, wanted, verdict = row.cells()
    sides = f"{ours} | {peer}" if peer else ours
    print(f"{goal:3} {what:46} {sides:24} {figure:26} {wanted:10} {verdict}",
          flush=True)


def markdown(rows, machine):
    """The whole table, with what it belongs to."""
    lines = [f"# Goals on {machine['cpu']}", ""]
    lines += [f"- {name.replace('_', ' ')}: {value}"
              for name, value in machine.items() if not isinstance(value, dict)]
    lines += ["", "| " + " | ".join(HEADINGS) + " |",
              "|" + "---|" * len(HEADINGS)]
    lines += ["| " + " | ".join(cell.replace("|", "/") for cell in row.cells())
              + " |" for row in rows]
    return "\n".join(lines) + "\n"


def merged(rows, path):
    """These rows, and those of goals that an earlier run saved, in order."""
    if not path.exists():
        return rows
    saved = [Row(**row) for row in
             json.loads(path.read_text(encoding="utf-8"))["rows"]]
    measured = {row.goal for row in rows}
    kept = [row for row in saved if row.goal not in measured]
    order = GOAL_ORDER + DEVICE_GOAL_ORDER
    return sorted(kept + rows, key=lambda row: order.index(row.goal))


def save(rows, machine, folder):
    """Writes <kind>.md and <kind>.json; returns the path of the latter.

    Goals that were not measured this time keep what an earlier run saved.
    """
    folder.mkdir(exist_ok=True)
    path = folder / f"{machine['kind']}.json"
    rows = merged(rows, path)
    path.with_suffix(".md").write_text(markdown(rows, machine), encoding="utf-8")
    document = {"machine": machine,
                "rows": [dataclasses.asdict(row) for row in rows]}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return path
