# SPDX-License-Identifier: MIT
"""Runs the programs of examples/ on inputs that a test knows, for comparison with an answer found another way.

A test script holds functions like

    @answers("matmul", (16, 12, 20), (1, 1, 1), (0, 3, 2))
    def matmul(run, m, p, n):
        a, b = random(m, p), random(p, n)
        close(run("C", A=a, B=b), a @ b)

and ends with `main()`. Each tuple of sizes is one check, which prints `ok NAME` or `FAIL NAME: reason`.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import scipy.io
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
TOLERANCE = 1e-10  # the largest error relative to the largest expected value

CHECKS = []  # (name, function, sizes) in the order of the script
rng = np.random.default_rng(0)


def answers(example, *cases):
    """Registers a function that checks `examples/{example}.cyc` for each of the cases, tuples of arguments."""
    def register(function):
        for case in cases or [()]:
            label = ",".join(str(x) for x in case)
            CHECKS.append((f"{example}({label})" if case else example, example, function, case))
        return function
    return register


def random(*shape, low=0.0, high=1.0):
    return rng.uniform(low, high, shape)


def letters(n, alphabet=4):
    return rng.integers(0, alphabet, n).astype(np.int32)


def sparse(*shape, density=0.3):
    """A dense array with few nonzeros, the least of them 0.1 in magnitude."""
    return random(*shape, low=0.1) * (random(*shape) < density)


def positive_definite(n, density=1.0):
    half = sparse(n, n, density=density)
    return half @ half.T + np.eye(n)


def lower_triangular(n, density=1.0):
    return np.tril(sparse(n, n, density=density), -1) + np.diag(random(n, low=1.0, high=2.0))


class Failure(Exception):
    """A check that does not hold; the text says why."""


def close(got, want, tolerance=TOLERANCE):
    """The shapes agree, infinities and NaNs are in the same places, and the rest differs by rounding at most."""
    got, want = np.asarray(got), np.asarray(want, dtype=float)
    if got.dtype.kind != "f":
        raise Failure(f"expected real numbers, got {got.dtype}")
    if got.shape != want.shape:
        raise Failure(f"expected the shape {want.shape}, got {got.shape}")
    finite = np.isfinite(want)
    same = np.where(finite, np.isfinite(got), (got == want) | (np.isnan(got) & np.isnan(want)))
    if not same.all():
        raise Failure("infinities or NaNs in the wrong places: " + first_difference(got, want, ~same))
    if not finite.any():
        return
    error, scale = np.max(np.abs(got[finite] - want[finite])), np.max(np.abs(want[finite]))
    if error > tolerance * scale:
        raise Failure(f"relative error {error / scale if scale else error:.3g} is more than {tolerance:g}")


def first_difference(got, want, wrong):
    count, place = np.count_nonzero(wrong), tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{count} of {want.size} values differ, first at {place}: expected {want[place]}, got {got[place]}"


def equal(got, want):
    """For whole numbers and truth values: the same shape, the same values."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype.kind not in "iub":
        raise Failure(f"expected whole numbers, got {got.dtype}")
    if got.shape != want.shape:
        raise Failure(f"expected the shape {want.shape}, got {got.shape}")
    if not np.array_equal(got, want):
        raise Failure(first_difference(got, want, got != want))


class Runner:
    """`run("X", "Y", A=array, n=3)` runs the example on these inputs and returns the outputs X and Y. `options` are
    words of the command line."""

    def __init__(self, binary, example):
        self.binary = binary
        self.program = EXAMPLES / f"{example}.cyc"

    def __call__(self, *outputs, options=(), **inputs):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            arguments = [f"{name}={self.store(folder / name, value)}" for name, value in inputs.items()]
            files = {name: folder / f"{name}.out.npy" for name in outputs}
            for name, path in files.items():
                arguments += ["-o", f"{name}={path}"]
            done = self.process(*options, *arguments)
            if done.returncode != 0:
                raise Failure(f"exit status {done.returncode}\n{done.stderr}")
            found = [np.load(path) for path in files.values()]
        return found[0] if len(found) == 1 else found

    def process(self, *arguments, verb="run"):
        return subprocess.run([self.binary, verb, self.program, *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=300)

    @staticmethod
    def store(path, value):
        """Writes an array as .npy, a SciPy matrix as .mtx, and gives a number as it is."""
        if scipy.sparse.issparse(value):
            scipy.io.mmwrite(f"{path}.mtx", value)
            return f"{path}.mtx"
        if isinstance(value, np.ndarray):
            np.save(f"{path}.npy", value)
            return f"{path}.npy"
        return repr(value)


def main():
    global rng
    parser = argparse.ArgumentParser()
    parser.add_argument("--cyclotron", required=True, help="the binary under test")
    parser.add_argument("only", nargs="*", help="run only checks whose names contain one of these")
    options = parser.parse_args()
    failed = 0
    for name, example, function, case in CHECKS:
        if options.only and not any(word in name for word in options.only):
            continue
        rng = np.random.default_rng(zlib.crc32(name.encode()))  # a check's inputs do not depend on the others
        try:
            function(Runner(options.cyclotron, example), *case)
            print(f"ok {name}", flush=True)
        except (Failure, subprocess.TimeoutExpired, OSError, ValueError) as error:
            failed += 1
            print(f"FAIL {name}: {error}", flush=True)
    sys.exit(1 if failed else 0)
