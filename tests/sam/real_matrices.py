# SPDX-License-Identifier: MIT
"""Streams on real matrices (tests/matrices): products, sums and sampled products, compared with the interpreter by the tool itself.

Prints `ok NAME` or `FAIL NAME: reason`, as reference.py does. benchmarks/sam/real_matrices.py runs the same programs on larger ones.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
from checks import Checks, Failure  # noqa: E402

MATRICES = pathlib.Path(__file__).resolve().parents[1] / "matrices"

ROWS = "{compressed, compressed} order (0,1)"
COLUMNS = "{compressed, compressed} order (1,0)"
PROGRAMS = {
    "SpMV": f"""
tensor A(n_i, n_j): {ROWS}
tensor c(n_j): dense
tensor x(n_i): {{compressed}}
x(i) = A(i,j) * c(j)
schedule usual {{
  locate c along j
}}
""",
    "SDDMM": f"""
tensor A(n_i, n_j): {ROWS}
tensor C(n_i, n_k): dense
tensor D(n_k, n_j): {{dense, dense}} order (1,0)
tensor X(n_i, n_j): {ROWS}
X(i,j) = A(i,j) * C(i,k) * D(k,j)
schedule usual {{
  locate C along i
  locate D along j
}}
""",
    "A + A^T": f"""
tensor A(n_i, n_j): {ROWS}
tensor B(n_j, n_i): {COLUMNS}
tensor X(n_i, n_j): {ROWS}
X(i,j) = A(i,j) + B(j,i)
schedule usual {{
  order i, j
}}
""",
    "A + B": f"""
tensor A(n_i, n_j): {ROWS}
tensor B(n_i, n_j): {ROWS}
tensor X(n_i, n_j): {ROWS}
X(i,j) = A(i,j) + B(i,j)
schedule usual {{
  order i, j
}}
""",
    "A * A^T": f"""
tensor A(n_i, n_k): {ROWS}
tensor B(n_j, n_k): {COLUMNS}
tensor X(n_i, n_j): {ROWS}
X(i,j) = A(i,k) * B(j,k)
schedule usual {{
  order i, k, j
}}
""",
}


def kernels_for(file, rows, columns):
    """The programs that fit, and their inputs."""
    yield "SpMV", [f"A={file}", "c=random:seed=1"]
    yield "SDDMM", [f"A={file}", "C=random:seed=1", "D=random:seed=2", "n_k=10"]
    if rows == columns:
        yield "A + A^T", [f"A={file}", f"B={file}"]
    else:
        yield "A + B", [f"A={file}", "B=random:density=0.01,seed=3"]
    yield "A * A^T", [f"A={file}", f"B={file}"]


def run(binary, folder, kernel, inputs, timeout=120):
    """Cycles, tokens, and what the tool says of the values."""
    program = pathlib.Path(folder) / "program.cyc"
    program.write_text(PROGRAMS[kernel])
    done = subprocess.run([binary, "simulate", "--target=sam", "--schedule", "usual", str(program), *inputs], capture_output=True,
                          text=True, timeout=timeout)
    if done.returncode:
        raise Failure(f"exit status {done.returncode}: {done.stderr.strip()}")
    numbers = [int(re.search(rf"^  {what} +(\d+)", done.stdout, re.M)[1]) for what in ("cycles", "tokens")]
    verdict = re.search(r"^values (.*)$", done.stdout, re.M)[1]
    if not verdict.startswith("agree with "):
        raise Failure(f"values {verdict}")
    return *numbers, verdict


def size_of(file):
    with open(file) as text:
        header = next(line for line in text if not line.startswith("%"))
    return [int(n) for n in header.split()]


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted(MATRICES.glob("*.mtx")):
            rows, columns, _ = size_of(file)
            for kernel, inputs in kernels_for(file, rows, columns):
                checks.make(f"{file.stem} {kernel}", run, checks.cyclotron, folder, kernel, inputs)
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
