#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws GF/s per rank over ranks, with the same amount of data on every rank, from what cyclotron_bench_mpi --json wrote.

usage: benchmarks/mpi/weak_scaling.py OUT.svg RESULT.json…
"""
import collections
import json
import pathlib
import sys

TITLES = {"gemm": "matrix product", "trsm": "triangular solve", "potrf": "Cholesky"}
COLOURS = {"Cyclotron": "#2a788e", "ScaLAPACK": "#c8553d"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 260, 230, 40, 36, 40


def weak_points(paths):
    """{(op, contestant): {ranks: GF/s per rank}} of the square problems with 2048 x 2048 elements on every rank."""
    points = collections.defaultdict(dict)
    for path in paths:
        report = json.loads(pathlib.Path(path).read_text())
        ranks = report["ranks"]
        for row in report["rows"]:
            if row["m"] != row["n"] or abs(row["m"] ** 2 / ranks / 2048 ** 2 - 1) > 0.01:
                continue
            for contestant in row["contestants"]:
                points[row["op"], contestant["name"]][ranks] = contestant["gflops"] / ranks
    return points


def panel(op, left, points):
    most = max(max(line.values()) for (o, _), line in points.items() if o == op)
    x_of = {ranks: left + LEFT + 12 + i * 46 for i, ranks in enumerate((1, 2, 4, 8, 16))}

    def y(value):
        return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM - 10)

    out = [f'<text x="{left + LEFT}" y="20" font-size="13">{TITLES[op]}</text>',
           f'<path d="M{left + LEFT} {TOP}V{HEIGHT - BOTTOM}H{left + WIDTH - 8}" fill="none" stroke="#888"/>']
    for ranks, x in x_of.items():
        out.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 15}" font-size="11" text-anchor="middle">{ranks}</text>')
    for value in range(0, int(most) + 1, 20):
        out.append(f'<text x="{left + LEFT - 5}" y="{y(value) + 4:.1f}" font-size="11" text-anchor="end">{value}</text>')
    for name, colour in COLOURS.items():
        line = sorted(points.get((op, name), {}).items())
        path = "L".join(f"{x_of[ranks]} {y(value):.1f}" for ranks, value in line)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for ranks, value in line:
            out.append(f'<circle cx="{x_of[ranks]}" cy="{y(value):.1f}" r="3" fill="{colour}">'
                       f"<title>{name}, {ranks} ranks: {value:.1f} GF/s per rank</title></circle>")
    return out


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("usage: ")[1])
    points = weak_points(sys.argv[2:])
    width = 3 * WIDTH
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" '
           'font-family="sans-serif" role="img" aria-label="GF/s per rank over ranks">',
           f'<rect width="{width}" height="{HEIGHT}" fill="white"/>']
    for i, op in enumerate(TITLES):
        out += panel(op, i * WIDTH, points)
    for i, (name, colour) in enumerate(COLOURS.items()):
        x = 300 + i * 110
        out.append(f'<path d="M{x} {HEIGHT - 9}h18" stroke="{colour}" stroke-width="2"/>'
                   f'<text x="{x + 23}" y="{HEIGHT - 5}" font-size="11">{name}</text>')
    out.append(f'<text x="8" y="{HEIGHT - 5}" font-size="11">GF/s per rank over ranks, 2048² elements per rank</text></svg>')
    pathlib.Path(sys.argv[1]).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
