# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements as tables in Markdown, as docs/quality.md shows them."""
import dataclasses
import math
import statistics

import tables

NOT_MEASURED = "not measured"
LARGE_ROWS = 1000  # calibration errors of fewer rows are mostly chance


@dataclasses.dataclass(frozen=True)
class Metric:
    name: str
    title: str
    is_better_high: bool
    is_ranked: bool = True

    def mean(self, records):
        return statistics.fmean(record[self.name] for record in records)

    def losses(self, records):
        """The values, lower for better ones."""
        sign = -1 if self.is_better_high else 1
        return [sign * record[self.name] for record in records]


LOG_LOSS = Metric("logLoss", "log-loss", False)
CALIBRATION = Metric("calibration", "calibration error", False)
METRICS = {tables.CLASSIFICATION: (Metric("accuracy", "accuracy", True), LOG_LOSS),
           tables.REGRESSION: (Metric("rmse", "RMSE", False),
                               Metric("r2", "R2", True, is_ranked=False))}
MAIN = {tables.CLASSIFICATION: LOG_LOSS, tables.REGRESSION: METRICS[tables.REGRESSION][0]}


@dataclasses.dataclass
class Found:
    """The records of one table: for each peer, one for each seed."""
    name: str
    task: str
    num_rows: int
    records: dict = dataclasses.field(default_factory=dict)

    def failures(self):
        """Why peers have no result, in a line each."""
        return {peer: record["failed"].splitlines()[0]
                for peer, records in self.records.items()
                for record in records if "failed" in record}


def ranks(values):
    """Returns the rank of each value, 1 for the least; equal ones share theirs."""
    return [1 + sum(other < value for other in values) + (values.count(value) - 1) / 2
            for value in values]


def mean_ranks(lists):
    """Returns the mean rank of each position over several lists of values."""
    return [statistics.fmean(column) for column in zip(*map(ranks, lists))]


def is_behind(losses, others):
    """True if the losses, paired by their seed, are higher than the others by more than
    two standard errors of their mean difference."""
    differences = [a - b for a, b in zip(losses, others, strict=True)]
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return statistics.fmean(differences) > 2 * error


def number(value):
    """Three decimals, or one of what is larger."""
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def heading(cells):
    return [row(cells), "|" + "---|" * len(cells)]


def table_lines(found, task):
    """A line for each table: the means of the seeds, the best by the main metric bold."""
    peers = list(found[0].records)
    lines = heading([" / ".join(metric.title for metric in METRICS[task]), "rows", *peers])
    for table in found:
        means = {peer: MAIN[task].mean(records) for peer, records in table.records.items()
                 if peer not in table.failures()}
        cells = [table.name, f"{table.num_rows:,}"]
        for peer, records in table.records.items():
            if peer not in means:
                cells.append(table.failures()[peer].partition(":")[0])
                continue
            text = " / ".join(number(metric.mean(records)) for metric in METRICS[task])
            cells.append(f"**{text}**" if means[peer] == min(means.values()) else text)
        lines.append(row(cells))
    return lines


def summary_lines(found, task):
    """A line for each peer: means, mean ranks, calibration, time and multiplications."""
    peers = list(found[0].records)
    columns = {"": peers}
    for metric in METRICS[task]:
        means = [[metric.mean(table.records[peer]) for peer in peers] for table in found]
        if task == tables.CLASSIFICATION or not metric.is_ranked:
            columns[f"mean {metric.title}"] = map(number, map(statistics.fmean, zip(*means)))
        if metric.is_ranked:
            sign = -1 if metric.is_better_high else 1
            by = mean_ranks([[sign * value for value in values] for values in means])
            columns[f"mean rank by {metric.title}"] = [f"{rank:.2f}" for rank in by]
    large = [table for table in found if table.num_rows > LARGE_ROWS]
    if task == tables.CLASSIFICATION and large:
        columns[f"calibration error, {len(large)} tables above {LARGE_ROWS:,} rows"] = [
            number(statistics.fmean(CALIBRATION.mean(table.records[peer])
                                    for table in large)) for peer in peers]
    columns["CPU s"] = [f"{total(found, peer, 'cpuSeconds'):.1f}" for peer in peers]
    columns["multiplications"] = [
        f"{total(found, peer, 'multiplications'):.2g}" if is_counted(found, peer) else ""
        for peer in peers]
    return heading(columns) + [row(cells) for cells in zip(*columns.values())]


def is_counted(found, peer):
    return "multiplications" in found[0].records[peer][0]


def total(found, peer, name):
    return sum(record[name] for table in found for record in table.records[peer])


def quick_lines(found, task):
    """Compares each other row of mlp with quick, seed by seed."""
    lines = []
    peers = list(found[0].records)
    for peer in peers:
        if "quick" not in peers or peer == "quick" or not is_counted(found, peer):
            continue
        behind = [table.name for table in found if len(table.records[peer]) > 1
                  and is_behind(*(MAIN[task].losses(table.records[name])
                                  for name in (peer, "quick")))]
        quotients = {table.name: total([table], peer, "multiplications")
                     / total([table], "quick", "multiplications") for table in found}
        most = max(quotients, key=quotients.get)
        whole = (total(found, peer, "multiplications")
                 / total(found, "quick", "multiplications"))
        if len(found[0].records[peer]) > 1:
            lines.append(f"- {peer} is behind quick by more than two standard errors of the "
                         f"{MAIN[task].title} on {', '.join(behind) or 'no table'}.")
        lines += [f"- {peer} takes {whole:.1f} times the multiplications of quick in sum, "
                  f"at most {quotients[most]:.1f} times on a table ({most})."]
    return lines


def lines_of(found, task):
    """All lines about the tables of one task."""
    found = [table for table in found
             if table.task == task and len(table.failures()) < len(table.records)]
    if not found:
        return []
    complete = [table for table in found if not table.failures()]
    lines = ["", *table_lines(found, task), ""]
    lines += [f"- {peer} has no result on {table.name}: {why}"
              for table in found for peer, why in table.failures().items()
              if why != NOT_MEASURED]
    if complete:
        lines += ["", f"The {task}s of {len(complete)} tables:", "",
                  *summary_lines(complete, task), "", *quick_lines(complete, task)]
    return lines
