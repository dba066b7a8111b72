#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our simulator of stream graphs beside the published one (github.com/weiya711/sam, in Python), on the same graphs and inputs.

  git clone https://github.com/weiya711/sam published
  benchmarks/sam/compare.py --published published [--size 0.5] [--turns 3] [KERNEL…]

The graphs are those of tests/sam/reference.json. The published blocks are wired as its own applications wire them, in a loop
written out line by line, without statistics; only that loop is timed. Ours is timed by cyclotron_bench_sam, which compares values with
the interpreter or native code first. Both take turns; cycles must be the same. Tokens are counted over the wires of our graph.
"""
import argparse
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "sam"))
import reference as programs  # noqa: E402  the .cyc text of the reference kernels

# Inputs at --size 1: dimensions by index, density of each tensor.
KERNELS = {
    "spmv_ij.gen": ({"i": 250, "j": 250}, {"B": 0.25, "c": 1}),
    "mmadd.final": ({"i": 3000, "j": 3000}, {"B": 0.006, "C": 0.006}),
    "sddmm_locate_K10.study": ({"i": 1000, "j": 1000, "k": 10}, {"B": 0.008}),
    "spmspm_ikj.study": ({"i": 300, "j": 300, "k": 300}, {"B": 0.04, "C": 0.04}),
    "spmspm_kij.study": ({"i": 600, "j": 600, "k": 600}, {"B": 0.02, "C": 0.02}),
    "spmspm_ijk.study": ({"i": 100, "j": 100, "k": 100}, {"B": 0.06, "C": 0.06}),
    "ttv.final": ({"i": 30, "j": 30, "k": 100}, {"B": 0.1, "c": 0.5}),
    "mttkrp.final": ({"i": 20, "k": 20, "l": 50, "j": 8}, {"B": 0.05, "C": 0.5, "D": 0.5}),
}
INDICES = {"spmv_ij": {"B": "ij", "c": "j"}, "mmadd": {"B": "ij", "C": "ij"}, "sddmm_locate_K10": {"B": "ij"},
           "spmspm": {"B": "ik", "C": "kj"}, "ttv": {"B": "ijk", "c": "k"}, "mttkrp": {"B": "ikl", "C": "jk", "D": "jl"}}
CALLS = {"ref": "set_in_ref", "repsig": "set_in_repsig", "in1": "set_in1", "in2": "set_in2"}
CALLS_OF = {("RepSigGen", "in"): "set_istream", ("Array", "ref"): "set_load", ("Reduce", "val"): "set_in_val",
            ("StopDrop", "in"): "set_in_stream", ("CrdWrite", "in"): "set_input", ("ValsWrite", "in"): "set_input",
            ("Accum1", "outer"): "set_crd_outer", ("Accum1", "inner"): "set_crd_inner", ("Accum1", "val"): "set_val",
            ("Accum2", "outer"): "set_crd_outer", ("Accum2", "inner"): "set_crd_inner", ("Accum2", "val"): "set_val",
            ("CrdDrop", "outer"): "set_outer_crd", ("CrdDrop", "inner"): "set_inner_crd",
            ("CrdHold", "outer"): "set_outer_crd", ("CrdHold", "inner"): "set_inner_crd"}


def dimensions(name, factor):
    """So that there are `factor` times as many entries; those that the kernel is named after stay."""
    sizes = KERNELS[name][0]
    rank = max(map(len, INDICES[kernel_of(name)].values()))
    kept = {"k"} if name.startswith("sddmm") else {"j"} if name.startswith("mttkrp") else set()
    return {i: n if i in kept else max(2, round(n * factor ** (1 / rank))) for i, n in sizes.items()}


def kernel_of(name):
    kernel = name.split(".")[0]
    return kernel if kernel in INDICES else kernel.rsplit("_", 1)[0]


def make_tensor(rng, dims, density):
    total = 1
    for d in dims:
        total *= d
    points = {}
    for place in sorted(rng.sample(range(total), round(density * total))):
        point = []
        for d in reversed(dims):
            place, c = divmod(place, d)
            point.append(c)
        points[tuple(reversed(point))] = float(rng.randint(1, 9))
    return points


def write_tensor(file, dims, points):
    lines = [" ".join(str(c + 1) for c in p) + f" {v}" for p, v in points.items()]
    if len(dims) == 2:
        lines = ["%%MatrixMarket matrix coordinate real general", f"{dims[0]} {dims[1]} {len(points)}"] + lines
    file.write_text("\n".join(lines) + "\n")


def compressed(points, order):
    """Segments and coordinates by dimension, and the values."""
    keys = sorted(points, key=lambda p: [p[m] for m in order])
    segments, coordinates, groups = {}, {}, [keys]
    for m in order:
        segment, crd, below = [0], [], []
        for group in groups:
            for c, members in itertools.groupby(group, key=lambda p: p[m]):
                crd.append(c)
                below.append(list(members))
            segment.append(len(crd))
        segments[m], coordinates[m], groups = segment, crd, below
    return segments, coordinates, [points[k] for k in keys]


class Published:
    """A reference graph made of the published blocks."""

    def __init__(self, case, tensors, dense, room):
        from sam.sim.src import accumulator, array, compute, crd_manager, joiner, rd_scanner, repeater, token, wr_scanner
        plain = {"Mul": compute.Multiply2, "Add": compute.Add2, "Reduce": accumulator.Reduce, "Repeat": repeater.Repeat,
                 "RepSigGen": repeater.RepeatSigGen, "CrdDrop": crd_manager.CrdDrop, "CrdHold": crd_manager.CrdHold,
                 "StopDrop": token.StknDrop, "Union": joiner.Union2, "Accum1": accumulator.SparseAccumulator1,
                 "Accum2": accumulator.SparseAccumulator2}
        stored = {t: compressed(points, case["formats"][t]) for t, points in tensors.items()}
        self.graph, self.blocks = case["graph"], {}
        for name, node in self.graph["nodes"].items():
            kind, tensor = node["type"], node.get("tensor")
            if kind == "CompressedScan":
                segments, coordinates, _ = stored[tensor]
                block = rd_scanner.CompressedCrdRdScan(crd_arr=coordinates[node["mode"]], seg_arr=segments[node["mode"]], skip=False)
            elif kind == "DenseScan":
                block = rd_scanner.UncompressCrdRdScan(dim=dense[tensor][node["mode"]])
            elif kind == "Array":
                size = dense[tensor][0] * dense[tensor][1] if tensor in dense else 0
                block = array.Array(init_arr=[1.0] * size if size else stored[tensor][2])
            elif kind == "Intersect":
                block = joiner.Intersect2(skip=False)
            elif kind == "CrdWrite":
                block = wr_scanner.CompressWrScan(seg_size=room, size=room, fill=0)
            elif kind == "ValsWrite":
                block = wr_scanner.ValsWrScan(size=room, fill=0)
            else:
                block = plain[kind]()
            self.blocks[name] = block
        exec(self.text(), self.blocks)

    def text(self):
        """The loop, as the published applications have it."""
        lines = ["def loop():", " cycles = 0"]
        lines += [f" root_{r} = [0, 'D']" for r in self.graph["roots"]] + [" while True:"]
        lines += [f"  if root_{r}: {r}.set_in_ref(root_{r}.pop(0), '')" for r in self.graph["roots"]]
        for edge in self.graph["edges"]:
            to, port = edge["dst"], edge["port"]
            call = CALLS_OF.get((self.graph["nodes"][to]["type"], port)) or CALLS[port]
            given = ", ".join(f"{n}.out_{p}()" for n, p in edge["src"])
            lines.append(f"  {to}.{call}({given}, {edge['src'][0][0]})")
        lines += [f"  {name}.update()" for name in self.graph["nodes"]]
        lines += ["  cycles += 1", "  if " + " and ".join(f"{w}.out_done()" for w in self.graph["writers"]) + ": return cycles"]
        return "\n".join(lines) + "\n"

    def run(self):
        start = time.process_time()
        cycles = self.blocks["loop"]()
        return cycles, time.process_time() - start


def measure(name, case, options, folder):
    sizes = dimensions(name, options.size)
    rng = random.Random(1)
    tensors, words = {}, []
    for tensor, indices in INDICES[kernel_of(name)].items():
        dims = [sizes[i] for i in indices]
        tensors[tensor] = make_tensor(rng, dims, KERNELS[name][1][tensor])
        file = folder / f"{tensor}.{'mtx' if len(dims) == 2 else 'tns'}"
        write_tensor(file, dims, tensors[tensor])
        words.append(f"{tensor}={file}")
    dense = {"C": (sizes["i"], sizes["k"]), "D": (sizes["k"], sizes["j"])} if name.startswith("sddmm") else {}
    words += [f"{t}=ones" for t in dense] + [f"n_{i}={n}" for i, n in sizes.items()]
    program = folder / "program.cyc"
    program.write_text(programs.program_of(name, case))
    schedule = "zeros" if name in programs.KEEPS_ZEROS else "usual"
    command = [options.bench, "--rounds", "5", "--schedule", schedule, str(program), *words]
    ratios, our_times, their_times = [], [], []
    for _ in range(options.turns):
        ours = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        cycles, seconds = Published(case, tensors, dense, ours["tokens"]).run()
        if cycles != ours["cycles"]:
            sys.exit(f"{name}: {ours['cycles']} cycles, the published simulator takes {cycles}")
        ratios.append(seconds / ours["seconds"])
        our_times.append(ours["seconds"])
        their_times.append(seconds)
    tokens, ours_s, theirs_s = ours["tokens"], statistics.median(our_times), statistics.median(their_times)
    print(f"{name:<24} {cycles:>9} {tokens:>10} {ours_s:>8.3f} {tokens / ours_s / 1e6:>8.1f} {theirs_s:>9.1f}"
          f" {tokens / theirs_s / 1e6:>8.3f} {statistics.median(ratios):>7.0f} {min(ratios):>6.0f} {max(ratios):>6.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--published", required=True, help="a checkout of github.com/weiya711/sam")
    parser.add_argument("--bench", default=str(ROOT / "build/benchmarks/benchmarks/sam/cyclotron_bench_sam"))
    parser.add_argument("--size", type=float, default=1, help="how many times as many entries")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("names", nargs="*", help="kernels that have this in their name")
    options = parser.parse_args()
    sys.path.insert(0, options.published)
    sys.modules.setdefault("pytest", types.SimpleNamespace(register_assert_rewrite=lambda name: None))  # of which it needs only this
    reference = json.loads((ROOT / "tests/sam/reference.json").read_text())
    print(f"{'':<24} {'':>9} {'':>10} {'ours':>8} {'M':>8} {'published':>9} {'M':>8} {'ratio':>7}")
    print(f"{'graph':<24} {'cycles':>9} {'tokens':>10} {'s':>8} {'tokens/s':>8} {'s':>9} {'tokens/s':>8} {'median':>7} {'least':>6} {'most':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name in KERNELS:
            if not options.names or any(n in name for n in options.names):
                measure(name, reference[name], options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
