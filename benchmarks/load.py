#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long a large Matrix Market file takes to load, beside scipy.io.mmread in the same run.

    benchmarks/load.py [--entries 10000000] [--rounds 3] [--cyclotron build/release/tools/cyclotron/cyclotron]

Both read the same file and end with compressed rows; ours includes starting the process and summarising the matrix.
First the results are compared (stored elements and norm to 1e-12), then the two are timed in turns. Prints the medians and
their ratio, scipy / ours: higher is better.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import scipy.io

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "tensor A(m, n): csr\ntensor s\ns = select(m > 0 and n > 0, A(0,0), 0)\n"


def write_matrix(path, entries, size=1_000_000):
    random = numpy.random.default_rng(1)
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{size} {size} {entries}\n")
        for start in range(0, entries, 100_000):
            count = min(100_000, entries - start)
            columns = random.integers(1, size + 1, (2, count))
            file.write("".join(f"{i} {j} {v:.6f}\n" for i, j, v in zip(*columns, random.random(count))))


def main():
    parser = argparse.ArgumentParser(description="Time the loading of a large matrix.")
    parser.add_argument("--entries", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cyclotron", default=ROOT / "build/release/tools/cyclotron/cyclotron")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        matrix, program = pathlib.Path(folder, "a.mtx"), pathlib.Path(folder, "load.cyc")
        write_matrix(matrix, args.entries)
        program.write_text(PROGRAM)

        def ours():
            out = subprocess.run([args.cyclotron, "run", program, f"A={matrix}", "--json"], check=True, capture_output=True).stdout
            return json.loads(out)["inputs"]["A"]

        def rival():
            return scipy.io.mmread(matrix).tocsr()

        read, expected = ours(), rival()
        assert read["stored"] == expected.nnz, (read["stored"], expected.nnz)  # zeros of the file are stored, too
        norm = numpy.sqrt((expected.data ** 2).sum())
        assert abs(read["norm"] - norm) <= 1e-12 * norm, (read["norm"], norm)
        times = {ours: [], rival: []}
        for _ in range(args.rounds):
            for run in times:
                start = time.perf_counter()
                run()
                times[run].append(time.perf_counter() - start)
        mine, theirs = (statistics.median(times[run]) for run in (ours, rival))
        print(f"{args.entries} entries: cyclotron {mine:.2f} s, scipy {theirs:.2f} s, ratio {theirs / mine:.2f}")


if __name__ == "__main__":
    main()
