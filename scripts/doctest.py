#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Keeps the Markdown of the tree true: programs check, sessions print what they show, links and paths exist.

    ```cyc               a program that `cyclotron check` accepts
    ```cyc error         one that it refuses
    ```cyc file=a.cyc    one that later console blocks of the page find as a.cyc
    ```console           `$ command` lines, each with its output; a line `...` stands for any lines; times may differ
    ```cpp file=a.cpp    lines of that file of the tree, one after the other; a line `// …` stands for any (also cmake, make)
    ```tree              a map of the tree: nested by indentation, the first word of each line is a path

usage: scripts/doctest.py [--update] [--cyclotron PATH] [PAGE.md…]
"""
import difflib
import pathlib
import re
import shutil
import sys
import tempfile

import sandbox

BLOCK = re.compile(r"^```(cyc|console|tree|cpp|cmake|make)\b([^\n]*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
TIME = re.compile(r" *\b\d[\d.]* ms +\d+ %$| *\b\d[\d.]* ?(?:ns|us|µs|ms|s|min)\b| *\b\d[\d.]* ?[kMGT]?\w+/s\b")
RUN = """#!/usr/bin/env bash
# Stands in for ./run in the documentation's tests: the same arguments, but the binary under test.
if [[ $# -eq 0 ]]; then set -- --help; elif [[ $1 == *.cyc ]]; then set -- run "$@"; fi
exec cyclotron "$@"
"""


def agrees(want, got):
    """Whether `got` is the expected text, up to `...` lines and durations."""
    def plain(line):
        return TIME.sub(" <time>", line)
    pattern = "".join(r"(?:.*\n)*?" if line == "...\n" else re.escape(plain(line)) for line in want.splitlines(True))
    return re.fullmatch(pattern, "".join(map(plain, got.splitlines(True)))) is not None


def check_program(text, info, folder, binary):
    named = re.search(r"file=(\S+)", info)
    path = pathlib.Path(folder, named[1] if named else "block.cyc")
    path.write_text(text)
    status, out, _ = sandbox.run(f"cyclotron check {path.name}", folder, binary, merge=True)
    if "error" in info.split():
        return None if 0 < status < 64 else f"should be refused, but the exit status is {status}\n{out}"
    return out or f"exit status {status}" if status else None


def run_session(text, folder, binary):
    """The session with the output of now, and the differences."""
    now, failures = "", []
    for command, want in re.findall(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", text, re.M):
        status, got, _ = sandbox.run(command, folder, binary, merge=True)
        if status in (sandbox.TIMED_OUT, sandbox.SANITIZER_EXIT):  # never to be recorded as the expected output
            return text, f"$ {command}{got}"
        got += "\n" if got and not got.endswith("\n") else ""
        if agrees(want, got):
            got = want
        else:
            diff = difflib.unified_diff(want.splitlines(True), got.splitlines(True), "expected", "actual")
            failures += [f"$ {command}", *diff]
        now += f"$ {command}{got}"
    return now, "".join(failures) or None


def check_tree(text):
    parents, missing = [], []
    for indent, name in re.findall(r"^([ │├└─]*)([^\s│├└─]\S*)", text, re.M):
        parents = [(i, p) for i, p in parents if len(i) < len(indent)]
        path = (parents[-1][1] if parents else sandbox.ROOT) / name
        if not path.exists():
            missing.append(f"no such path: {path.relative_to(sandbox.ROOT)}")
        parents.append((indent, path))
    return "\n".join(missing) or None


def check_excerpt(text, info):
    """Whether the lines stand in the file as they stand here; indentation may differ."""
    named = re.search(r"file=(\S+)", info)
    if not named or not (sandbox.ROOT / named[1]).exists():
        return "an excerpt says where it is from: file=PATH"
    have = [line.strip() for line in (sandbox.ROOT / named[1]).read_text().splitlines()]
    at = 0
    for part in re.split(r"^\s*(?://|#) …\n", text, flags=re.M):
        want = [line.strip() for line in part.strip("\n").splitlines()]
        found = [i for i in range(at, len(have) - len(want) + 1) if have[i:i + len(want)] == want]
        if not found:
            return f"is not in {named[1]}:\n{part}"
        at = found[0] + len(want)
    return None


def check_links(page, text):
    targets = [t.split("#")[0] for t in LINK.findall(re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.M | re.S))]
    broken = [t for t in targets if t and ":" not in t and not (page.parent / t).exists()]
    return "\n".join(f"broken link: {t}" for t in broken) or None


def blocks(page):
    """The name of each block and its match; the name says the line it opens on."""
    text = page.read_text()
    return text, [(f"{page.relative_to(sandbox.ROOT)}:{text.count(chr(10), 0, m.start()) + 1}", m)
                  for m in BLOCK.finditer(text)]


def check_page(page, binary, update=False):
    text, found = blocks(page)
    results, changed = [], text
    with tempfile.TemporaryDirectory() as folder:
        for data in ("examples", "tests/data"):
            if (sandbox.ROOT / data).exists():
                shutil.copytree(sandbox.ROOT / data, pathlib.Path(folder, data))
        stand_in = pathlib.Path(folder, "run")
        stand_in.write_text(RUN)
        stand_in.chmod(0o755)
        for name, block in found:
            kind, info, body = block.groups()
            if kind == "cyc":
                failure = check_program(body, info, folder, binary)
            elif kind == "tree":
                failure = check_tree(body)
            elif kind in ("cpp", "cmake", "make"):
                failure = check_excerpt(body, info)
            else:
                now, failure = run_session(body, folder, binary)
                if now != body and update:
                    changed = changed.replace(block[0], f"```{kind}{info}\n{now}```")
                    failure = None
            results.append((name, failure))
    if changed != text:
        page.write_text(changed)
    return results + [(f"{page.relative_to(sandbox.ROOT)}:links", check_links(page, text))]


def pages():
    return sorted(p for p in sandbox.ROOT.rglob("*.md") if p.relative_to(sandbox.ROOT).parts[0] not in ("build", ".git"))


def jobs(binary):
    """For run_tests.py: (group, names, function that runs them) for each page."""
    def job(page):
        names = [name for name, _ in blocks(page)[1]] + [f"{page.relative_to(sandbox.ROOT)}:links"]
        return "docs", names, lambda update: check_page(page, binary, update)
    return [job(page) for page in pages()]


def main():
    options = sandbox.options("Check the documentation.", "pages", "the output in console blocks")
    failed = False
    for page in options.pages or pages():
        for name, failure in check_page(page.resolve(), options.cyclotron, options.update):
            if failure:
                failed = True
                print(f"FAIL {name}\n{failure}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
