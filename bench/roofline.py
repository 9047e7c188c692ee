#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A roofline: how fast one core could be at each ratio of flops to bytes.

    bench/roofline.py RESULTS.json OUT.svg   runs in the peers' environment

The lines are what the same run measured: fused multiply-adds in registers, and
vector loads from L2, L3 and memory. A point is a kernel at the bytes that it
must move: an evaluation reads every feature and every weight once and writes
the gradient; scoring one row reads the weights.
"""
import argparse
import json
import math
import pathlib

from measure.pairs import percentile
from measure.workers import Worker, WorkerError

MAX_PROBE_BYTES = 1 << 30


def probe_sizes(machine):
    """How many bytes stay in each place."""
    l2_bytes = machine["l2_bytes"] or 1 << 19
    l3_bytes = machine["l3_bytes"] or 16 * l2_bytes
    return {"L2": "l2", "L3": min(8 * l2_bytes, l3_bytes // 2),
            "memory": min(4 * l3_bytes, MAX_PROBE_BYTES)}


def measure_ceilings(bench):
    """Flops and bytes per second of one core, by CPU time."""
    ceilings = {}
    for precision in ("f64", "f32"):
        samples = [bench.canary(precision, 1).run() for _ in range(9)]
        ceilings[precision] = percentile([s["cpu_flops"] for s in samples], 0.5)
    for place, size in probe_sizes(bench.machine).items():
        try:
            with Worker([bench.program("mlp_bench"), "read_rate", size,
                         1]) as probe:
                probe.calibrate(0.02)
                samples = [probe.run() for _ in range(9)]
            ceilings[place] = percentile([s["cpu_bytes"] for s in samples], 0.5)
        except WorkerError as error:
            print(f"no read rate of {place}: {error}")
    return ceilings


def points(rows):
    """Label, flops per byte and flops per second of each kernel, per core."""
    for row in rows:
        data = row["data"]
        kind = data.get("kind")
        if kind == "evaluation" and (data["clock"], data["threads"]) == ("cpu", 1):
            yield evaluation_point(row["goal"], data)
        elif kind == "row":
            yield row_point(row["goal"], data)


def layer_sums(layers):
    """The sum of products of adjacent sizes, the first of them, the weights."""
    sizes = [int(size) for size in layers.split(",")]
    products = [a * b for a, b in zip(sizes, sizes[1:])]
    return sizes, sum(products), products[0], sum(products) + sum(sizes[1:])


def evaluation_point(goal, data):
    sizes, total, first, num_weights = layer_sums(data["layers"])
    flops = 2 * data["instances"] * (3 * total - first)
    width = 8 if data["precision"] == "f64" else 4
    num_bytes = width * (data["instances"] * sizes[0] + 2 * num_weights)
    return (f"{goal} {data['precision']}", flops / num_bytes,
            data["flops_per_second"], data["precision"])


def row_point(goal, data):
    _, total, _, num_weights = layer_sums(data["layers"])
    width = 8 if data["precision"] == "f64" else 4
    return (f"{goal} row {data['precision']}",
            2 * total / (width * num_weights),
            2 * total / data["seconds"], data["precision"])


def plot(document, out):
    """Writes the picture."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "roofline"
    from matplotlib import pyplot

    ceilings = document["machine"]["ceilings"]
    figure, axes = pyplot.subplots(figsize=(8.5, 5.5))
    intensities = [2.0**(i / 4) for i in range(-16, 45)]
    axes.set(xscale="log", yscale="log", xlim=(intensities[0], intensities[-1]),
             ylim=(0.2, 4e-9 * ceilings["f32"]),
             xlabel="flops per byte that must move",
             ylabel="GF/s of one core, by CPU time",
             title=f"{document['machine']['cpu']} "
                   f"({document['machine']['kind']})")
    colours = {"f64": "tab:blue", "f32": "tab:red"}
    for precision, colour in colours.items():
        axes.axhline(ceilings[precision] / 1e9, color=colour, linewidth=1)
        axes.text(0.99, ceilings[precision] / 1e9 * 1.04,
                  f"{precision} FMA {ceilings[precision] / 1e9:.0f} GF/s",
                  color=colour, horizontalalignment="right",
                  transform=axes.get_yaxis_transform())
    for place in ("L2", "L3", "memory"):
        draw_slope(axes, place, ceilings.get(place), intensities,
                   ceilings["f32"])
    draw_points(axes, points(document["rows"]), colours)
    axes.grid(True, which="major", linewidth=0.3)
    figure.savefig(out, bbox_inches="tight", metadata={"Date": None})


def draw_slope(axes, place, rate, intensities, peak):
    """A line of so many bytes per second, up to where units are the limit."""
    if not rate:
        return
    xs = [x for x in intensities if x * rate <= peak] + [peak / rate]
    axes.plot(xs, [x * rate / 1e9 for x in xs], color="gray", linewidth=1)
    at = 1.5 * xs[0]
    axes.text(at, at * rate / 1e9 * 1.15, f"{place} {rate / 1e9:.0f} GB/s",
              color="gray", rotation=math.degrees(math.atan(rate / 1e9)),
              rotation_mode="anchor", transform_rotates_text=True)


def draw_points(axes, found, colours):
    for label, intensity, rate, precision in found:
        axes.plot([intensity], [rate / 1e9], "o", color=colours[precision])
        axes.annotate(label, (intensity, rate / 1e9), xytext=(4, -12),
                      textcoords="offset points", fontsize=8)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, metavar="RESULTS.json")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT.svg")
    arguments = parser.parse_args()
    plot(json.loads(arguments.results.read_text(encoding="utf-8")),
         arguments.out)


if __name__ == "__main__":
    main()
