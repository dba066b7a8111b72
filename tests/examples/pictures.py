# SPDX-License-Identifier: MIT
"""The pictures of the documentation are what the tool draws today."""
import subprocess
import sys

from cyclotron_runner import ROOT, Failure, answers, main


@answers("matmul", ("pictures of docs/array.md",))
def pictures(run, what):
    command = [sys.executable, ROOT / "scripts" / "array_pictures.py", "--cyclotron", run.binary, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise Failure(done.stderr)


main()
