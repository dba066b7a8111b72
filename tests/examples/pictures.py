# SPDX-License-Identifier: MIT
"""The pictures of the documentation are what the tool draws today."""
import subprocess
import sys

from cyclotron_runner import ROOT, Failure, answers, main


def check(script, run):
    command = [sys.executable, ROOT / "scripts" / script, "--cyclotron", run.binary, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise Failure(done.stderr)


@answers("matmul", ("pictures of docs/array.md",))
def array_pictures(run, what):
    check("array_pictures.py", run)


@answers("cholesky", ("picture of README.md",))
def machines_picture(run, what):
    check("machines_picture.py", run)


main()
