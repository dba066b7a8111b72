# SPDX-License-Identifier: MIT
"""Runs a shell command for a test: own process group, time limit, the `cyclotron` under test first in PATH."""
import argparse
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = ROOT / "build/dev/tools/cyclotron/cyclotron"
SANITIZER_EXIT = 99  # so that a sanitizer's report is never taken for a refused program
TIMED_OUT = 124
MOST_PATIENCE = 4


class Skipped(str):
    """The outcome of a test that could not be made here, and why."""


def options(description, items, update):
    """The command line of a script that checks `items`, all of them where none are named."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(items, nargs="*", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help=f"rewrite {update}")
    parser.add_argument("--cyclotron", default=BINARY, help="the binary to test")
    return parser.parse_args()


def patience():
    """How many times longer things may take while others want the processors, too."""
    return min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), MOST_PATIENCE)


def output_in_time(process, timeout):
    start = time.monotonic()
    while True:
        left = timeout * patience() - (time.monotonic() - start)
        try:
            return process.communicate(timeout=max(left, 0))
        except subprocess.TimeoutExpired:
            if time.monotonic() - start >= timeout * patience():
                raise


def run(command, cwd, binary, merge=False, timeout=60, tools=None):
    """The exit status, stdout and stderr of `command` (all in stdout if `merge`); `tools`: one more PATH folder."""
    sanitizer = f"exitcode={SANITIZER_EXIT}"
    path = [str(p) for p in (tools, pathlib.Path(binary).resolve().parent) if p]
    env = dict(os.environ, PATH=":".join(path + [os.environ["PATH"]]), LC_ALL="C.UTF-8", NO_COLOR="1", COLUMNS="80",
               ASAN_OPTIONS=sanitizer, UBSAN_OPTIONS=sanitizer + ":print_stacktrace=1")
    process = subprocess.Popen(["bash", "-c", command], cwd=cwd, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT if merge else subprocess.PIPE)
    try:
        out, err = output_in_time(process, timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        out += f"\nstopped after {timeout * patience():.0f} s\n".encode()
        status = TIMED_OUT
    return status, out.decode(errors="replace"), (err or b"").decode(errors="replace")
