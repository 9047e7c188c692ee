#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A plot of the cost of a row over the number of rows, as goal G1 measured it.

    bench/growth_plot.py RESULTS.json OUT.svg   runs in the peers' environment

A horizontal line is a cost that does not depend on the number of rows.
"""
import argparse
import json
import pathlib


def curves(rows):
    """Layers and threads, each with pairs of rows and nanoseconds of a row."""
    found = {}
    for row in rows:
        data = row["data"]
        if data.get("kind") == "growth":
            found.setdefault((data["layers"], data["threads"]), []).append(
                (data["instances"], 1e9 * data["seconds"]))
    return {key: sorted(points) for key, points in found.items()}


def plot(document, out):
    """Writes the picture."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "growth"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.5, 5.5))
    axes.set(xscale="log", yscale="log", xlabel="rows",
             ylabel="ns for one row of an evaluation, float64",
             title=f"{document['machine']['cpu']} "
                   f"({document['machine']['kind']})")
    colours = {}
    for (layers, threads), points in curves(document["rows"]).items():
        colour = colours.setdefault(layers, f"C{len(colours)}")
        axes.plot(*zip(*points), "o-" if threads == 1 else "s--", color=colour,
                  linewidth=1, markersize=4,
                  label=f"[{layers}], {threads} thread{'s' * (threads > 1)}")
    axes.grid(True, which="major", linewidth=0.3)
    axes.legend(fontsize=8)
    figure.savefig(out, bbox_inches="tight", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, metavar="RESULTS.json")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT.svg")
    arguments = parser.parse_args()
    document = json.loads(arguments.results.read_text(encoding="utf-8"))
    if curves(document["rows"]):
        plot(document, arguments.out)
    else:
        print(f"{arguments.results} has no rows of G1")


if __name__ == "__main__":
    main()
