#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/machines.svg: one Cholesky program as native code, on a systolic array, and on a cluster.

Everything in the picture is read from what cyclotron prints: the loops, the nonzeros of the matrix and of its factor, the
cycles in which each processing element computes, and the messages between ranks.

usage: scripts/machines_picture.py --cyclotron PATH [--check]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/images/machines.svg"
PROGRAM = ROOT / "examples/cholesky.cyc"
MATRIX, N, TILE, RANKS_PER_AXIS = "A=laplacian2d:k=4", 16, 4, 2
COPY = "tensor A(n, n): csr\ntensor B(n, n): csr\nB(i,j) = A(i,j)\n"
RANKS = f"schedule ranks {{ tile i, j, k by {TILE}; space i, j; time k; fold i cyclic {RANKS_PER_AXIS}; fold j cyclic {RANKS_PER_AXIS} }}\n"
CELL, PANEL, GAP, TOP = 14, 224, 54, 78
SECONDS, START = 9, 4  # of the animation, and how far it is when the page opens
WIDTH, HEIGHT = 3 * PANEL + 2 * GAP + 40, TOP + PANEL + 62
STYLE = """svg{font:13px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
.page{fill:#fff}.ink{fill:#1d2330}.faint{fill:#5c6675}.title{font-size:16px;font-weight:600}.code{font:11px ui-monospace,"DejaVu Sans Mono",monospace}
.none{fill:#eceff3}.a{fill:#2b6cb0}.fill{fill:#dd6b20}.pe{fill:#cfe3f5}.rank0{fill:#2b6cb0}.rank1{fill:#dd6b20}.rank2{fill:#2f9e6e}.rank3{fill:#8e5bb5}.on{fill:#fff}
@media (prefers-color-scheme:dark){.page{fill:#14171c}.ink{fill:#e8ebf0}.faint{fill:#a0a9b6}.none{fill:#23282f}.pe{fill:#24405c}.a{fill:#5a9fe0}.fill{fill:#f0883e}}
@media (prefers-reduced-motion:reduce){*{animation:none!important}}
"""


def cyclotron(binary, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"cyclotron {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def entries(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    return {(int(i) - 1, int(j) - 1) for i, j, *_ in (line.split() for line in lines[1:])}


class Panel:
    """A square of N x N cells with a title and two lines below it."""

    def __init__(self, number, title, command, lines):
        self.left = 20 + number * (PANEL + GAP)
        self.out = [f'<text x="{self.left}" y="34" class="ink title">{title}</text>',
                    f'<text x="{self.left}" y="56" class="faint code">{command}</text>']
        self.out += [f'<text x="{self.left}" y="{TOP + PANEL + 24 + 20 * n}" class="ink">{line}</text>' for n, line in enumerate(lines)]

    def cell(self, i, j, css, size=1, style=""):
        x, y, side = self.left + j * CELL, TOP + i * CELL, size * CELL - 2
        self.out.append(f'<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="2" class="{css}"{style}/>')

    def label(self, i, j, size, text):
        x, y = self.left + (j + size / 2) * CELL - 1, TOP + (i + size / 2) * CELL + 3
        self.out.append(f'<text x="{x:g}" y="{y:g}" text-anchor="middle" class="on">{text}</text>')


def native(binary, folder):
    """The nonzeros of the factor, appearing in the order of the loops."""
    lines = cyclotron(binary, "compile", PROGRAM, "--emit=loops").splitlines()
    loops = lines[lines.index("loops i, j, k") + 1:] if "loops i, j, k" in lines else lines
    if loops[:2] != ["for i", "  for j < i"]:
        sys.exit("the loops of cholesky.cyc are no longer `for i`, `for j < i`: draw the factor in their order")
    (folder / "copy.cyc").write_text(COPY)
    cyclotron(binary, "run", folder / "copy.cyc", MATRIX, "-o", f"B={folder / 'B.mtx'}")
    cyclotron(binary, "run", PROGRAM, MATRIX, "-o", f"L={folder / 'L.mtx'}")
    a, factor = entries(folder / "B.mtx"), sorted(entries(folder / "L.mtx"))
    extra = sum(point not in a for point in factor)
    panel = Panel(0, "Native code", "cyclotron run", [f"{len(factor)} stored elements of L, row by row;", f"{extra} of them (orange) are not in A"])
    frames = []
    for i in range(N):
        for j in range(i + 1):
            panel.cell(i, j, "none")
    for number, (i, j) in enumerate(factor):
        begin = 80 * number / len(factor)
        frames.append(f"@keyframes n{number}{{0%,{begin:.1f}%{{opacity:0}}{begin + 1:.1f}%,96%{{opacity:1}}100%{{opacity:0}}}}")
        panel.cell(i, j, "a" if (i, j) in a else "fill", style=f' style="animation:n{number} {SECONDS}s -{START}s infinite"')
    return frames, panel


def array(binary):
    """The triangle of processing elements, each lit in the cycles in which it computes."""
    run = json.loads(cyclotron(binary, "simulate", PROGRAM, "--schedule", "array", MATRIX, "--json"))
    working = [pe for pe in run["pes"] if pe["steps"]]
    form = run["closed_form"]["text"].replace("*", "")
    panel = Panel(1, "Systolic array", "cyclotron simulate --schedule array", [f"{len(working)} processing elements,", f"{run['cycles']} cycles = {form}"])
    frames, spans = [], sorted({(pe["begin"], pe["end"]) for pe in working})
    for begin, end in spans:
        first, last = 90 * begin / run["cycles"], 90 * end / run["cycles"]
        frames.append(f"@keyframes a{begin}x{end}{{0%,{first:.1f}%{{opacity:0}}{first + .1:.1f}%,{last:.1f}%{{opacity:1}}{last + 4:.1f}%,100%{{opacity:0}}}}")
    for pe in working:
        i, j = pe["at"]
        panel.cell(i, j, "pe")
        panel.cell(i, j, "a", style=f' style="opacity:0;animation:a{pe["begin"]}x{pe["end"]} {SECONDS}s -{START}s infinite"')
    return frames, panel


def cluster(binary, folder):
    """The tiles of the factor, each with the rank that computes it."""
    (folder / "ranks.cyc").write_text(RANKS)
    ranks = RANKS_PER_AXIS * RANKS_PER_AXIS
    table = cyclotron(binary, "simulate", PROGRAM, "--schedule-file", folder / "ranks.cyc", "--schedule", "ranks", MATRIX, "--ranks", ranks)
    header, row = (line.split() for line in table.splitlines()[:2])
    messages = row[header.index("messages")]
    panel = Panel(2, "Cluster", f"cyclotron run --target=mpi --ranks {ranks}",
                  [f"{ranks} ranks, tiles of {TILE} x {TILE} in turn,", f"{messages} messages between ranks"])
    for i in range(0, N, TILE):
        for j in range(0, i + 1, TILE):
            rank = i // TILE % RANKS_PER_AXIS * RANKS_PER_AXIS + j // TILE % RANKS_PER_AXIS
            panel.cell(i, j, f"rank{rank}", TILE)
            panel.label(i, j, TILE, f"rank {rank}")
    return [], panel


def draw(binary):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        parts = [native(binary, folder), array(binary), cluster(binary, folder)]
    frames = "\n".join(frame for made, _ in parts for frame in made)
    body = "\n".join(line for _, panel in parts for line in panel.out)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="one Cholesky program as native code, on a systolic array and on a cluster">\n'
            f'<style>\n{STYLE}{frames}\n</style>\n<rect class="page" width="100%" height="100%"/>\n{body}\n</svg>\n')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--cyclotron", required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    drawn = draw(str(pathlib.Path(arguments.cyclotron).resolve()))
    if not arguments.check:
        PICTURE.write_text(drawn)
    elif not PICTURE.exists() or PICTURE.read_text() != drawn:
        sys.exit("machines.svg is not what cyclotron draws now; run scripts/machines_picture.py --cyclotron PATH")


main()
