#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The lines that ./test shows while it runs, on a terminal and in a pipe. Prints `ok NAME` or `FAIL NAME: reason`."""
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
from test_progress import Progress  # noqa: E402


class Terminal(io.StringIO):
    def isatty(self):
        return True


def check(name, got, want):
    print(f"ok {name}" if got == want else f"FAIL {name}: {got!r} instead of {want!r}")


def three_tests(out, seconds):
    progress = Progress(2, out, seconds)
    progress.begin("unit/driver")
    progress.add(False)
    progress.say("FAIL something")
    progress.add(True)
    progress.end("unit/driver")
    progress.add(False)  # more than expected
    progress.erase()
    return out.getvalue()


def moving(text):
    return f"\r\033[K\033[?7l{text}\033[?7h"


LINES = ["tests 0 of about 2, now: unit/driver", "tests 1 of about 2, now: unit/driver", "FAIL something",
         "tests 2 of about 2, 1 failed, now: unit/driver", "tests 3 of about 3, 1 failed"]

check("pipe_every_time", three_tests(io.StringIO(), 0), "".join(line + "\n" for line in LINES))
check("pipe_seldom", three_tests(io.StringIO(), 1000), "FAIL something\n")
check("terminal", three_tests(Terminal(), 1000),
      "".join("\r\033[K" + line + "\n" if line.startswith("FAIL") else moving(line) for line in LINES) + "\r\033[K")
