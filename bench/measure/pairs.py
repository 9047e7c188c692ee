# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""How two sides are compared on a machine that is shared and never quiet.

Ours and the peer run in turn, with the canary (how fast the processor does
fused multiply-adds at that moment) before and after each pair. Pairs whose
canaries moved are dropped; what is left gives one ratio each, and a goal is met
where the quarter of the ratios that is worst for us still meets it.
"""
import dataclasses
import math

MAX_CANARY_MOVE = 0.05
MAX_CANARY_LOSS = 0.10
# What both sides of a comparison must agree on, relatively.
AGREED = ("loss", "gradient_norm", "score_norm", "sum")
AGREEMENT = {"f64": 1e-10, "f32": 1e-4}


@dataclasses.dataclass
class Pair:
    """One measurement: samples of both sides and the canary around them."""
    ours: dict
    peer: dict
    before: dict
    after: dict


def run_pairs(canary, ours, peer, count):
    """Runs ours and the peer in turn; a peer of None is left out."""
    pairs = []
    for _ in range(count):
        before = canary.run()
        mine = ours.run()
        theirs = peer.run() if peer else None
        pairs.append(Pair(mine, theirs, before, canary.run()))
    return pairs


def quiet(pairs, clock):
    """The pairs during which the canary by that clock kept its speed."""
    rate = f"{clock}_flops"
    best = max(max(p.before[rate], p.after[rate]) for p in pairs)

    def is_quiet(pair):
        low, high = sorted((pair.before[rate], pair.after[rate]))
        return (high - low <= MAX_CANARY_MOVE * high
                and low >= (1.0 - MAX_CANARY_LOSS) * best)

    return [pair for pair in pairs if is_quiet(pair)]


def canary_rate(pair, clock):
    """The canary's flops per second during a pair."""
    rate = f"{clock}_flops"
    return 0.5 * (pair.before[rate] + pair.after[rate])


def seconds(sample, clock):
    """What one repeat took."""
    return sample[clock] / sample["repeats"]


def percentile(values, share):
    """Interpolates linearly between the sorted values."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = math.ceil(at)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def disagreement(ours, peer, precision):
    """The sentence on the first figure that differs by too much, or None."""
    for name in AGREED:
        if name not in ours or name not in peer:
            continue
        a, b = ours[name], peer[name]
        if a is None or b is None or abs(a - b) > AGREEMENT[precision] * abs(b):
            return f"{name} differs: {a} and {b}"
    return histories_disagree(ours.get("history"), peer.get("history"))


def histories_disagree(ours, peer):
    """As disagreement(), for the first entries of two objective histories."""
    num_compared, tolerance = 16, 1e-9
    if ours is None or peer is None:
        return None
    for i, (a, b) in enumerate(zip(ours[:num_compared], peer[:num_compared])):
        if abs(a - b) > tolerance * abs(b):
            return f"entry {i} of the history differs: {a} and {b}"
    return None
