# SPDX-License-Identifier: MIT
"""What test scripts with many named checks share: a command line that may name some, and a line for each outcome."""
import argparse


class Failure(Exception):
    """Why a check failed."""


class Checks:
    """Prints `ok NAME` or `FAIL NAME: reason` for every check whose name has one of the words of the command line."""

    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--cyclotron", required=True)
        parser.add_argument("names", nargs="*")
        options = parser.parse_args()
        self.cyclotron, self.names, self.failed = options.cyclotron, options.names, 0

    def make(self, name, check, *arguments):
        if self.names and not any(word in name for word in self.names):
            return
        try:
            check(*arguments)
            print(f"ok {name}", flush=True)
        except Failure as failure:
            self.failed += 1
            print(f"FAIL {name}: {failure}", flush=True)

    def status(self):
        return 1 if self.failed else 0
