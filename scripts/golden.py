#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Golden tests: one file holds the command, the input and the expected output. See tests/golden/README.md.

usage: scripts/golden.py [--update] [--cyclotron PATH] [FILE…]
"""
import difflib
import pathlib
import re
import sys
import tempfile

import sandbox

SECTION = re.compile(r"^#--- (?:(expect)|file (\S+))\n", re.M)


def split(text):
    """The input, the extra files by name, the text before the expected output, and that output."""
    head, files, want, before = None, {}, "", text
    marks = list(SECTION.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        head = text[:mark.start()] if head is None else head
        if mark[1]:  # `expect` takes all the rest, whatever it looks like
            before, want = text[:mark.start()], text[mark.end():]
            break
        files[mark[2]] = text[mark.end():following.start() if following else len(text)]
    return text if head is None else head, files, before, want


def with_newline(text):
    return text if not text or text.endswith("\n") else text + "\n"


def actual(path, binary):
    """What the commands of the test print now."""
    head, files, _, _ = split(path.read_text())
    commands = re.findall(r"^# RUN: (.*)$", head, re.M)
    if not commands:
        raise ValueError("no `# RUN:` line")
    output = ""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {path.name: head, **files}.items():
            target = pathlib.Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        for command in commands:
            command = command.replace("%s", path.name).replace("%d", folder)
            status, out, err = sandbox.run(command, folder, binary)
            if status == sandbox.TIMED_OUT:  # never to be recorded as the expected output
                raise ValueError(f"took too long: {command}")
            output += with_newline(out) + with_newline(err) + (f"exit {status}\n" if status else "")
    return output.replace(folder, "%d")


def check(path, binary, update=False):
    """None if the test passes, otherwise why it does not."""
    try:
        got = actual(path, binary)
    except ValueError as error:
        return f"{path}: {error}"
    _, _, before, want = split(path.read_text())
    if got == want:
        return None
    if update:
        path.write_text(with_newline(before) + "#--- expect\n" + got)
        return None
    return "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), "expected", "actual"))


def paths():
    return sorted(p for folder in ("golden", "errors") for kind in ("*.cyc", "*.loops")
                  for p in (sandbox.ROOT / "tests" / folder).rglob(kind))


def jobs(binary):
    """For run_tests.py: (group, names, function that runs them) for each test file."""
    def job(path):
        name = str(path.relative_to(sandbox.ROOT / "tests").with_suffix(""))
        return name.split("/")[0], [name], lambda update: [(name, check(path, binary, update))]
    return [job(path) for path in paths()]


def main():
    options = sandbox.options("Run golden tests.", "files", "the expected output in place")
    failed = 0
    for path in options.files or paths():
        failure = check(path, options.cyclotron, options.update)
        if failure is not None:
            failed += 1
            print(f"FAIL {path}\n{failure}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
