# SPDX-License-Identifier: MIT
"""Every example explains itself, is listed and tested, and runs without arguments; every mistake is refused."""
import pathlib
import re

from cyclotron_runner import EXAMPLES, Failure, answers, main

SCRIPTS = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("*.py"))
README = (EXAMPLES / "README.md").read_text()
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.cyc"))
MISTAKES = [name for name in NAMES if name.startswith("mistake_")]
EXIT_REFUSED = 1


def explains_itself(run, what):
    lines = run.program.read_text().splitlines()
    comment = lines[:next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))]
    if len([line for line in comment if len(line) > 1]) < 3:
        raise Failure("it should open with at least three comment lines that say what, why and how to run")
    if f"`{run.program.stem}`" not in README:
        raise Failure("it is not in examples/README.md")
    if run.program.stem not in MISTAKES and f'@answers("{run.program.stem}"' not in SCRIPTS:
        raise Failure("no script in tests/examples compares it with an independent answer")


def command_lines(program):
    """The arguments of each `./run examples/NAME.cyc …` in the comments, less those that name files."""
    for words in re.findall(rf"^# +\./run examples/{program.name}(.*)$", program.read_text(), re.MULTILINE):
        if not re.search(r"\.(npy|mtx|tns)\b", words):
            yield words.split()


def runs_as_it_says(run, what):
    lines = list(command_lines(run.program))
    if [] not in lines:
        raise Failure("its comment does not show how to run it without arguments")
    for arguments in lines:
        done = run.process(*arguments)
        if done.returncode != 0:
            raise Failure(f"with the arguments {arguments}: exit status {done.returncode}\n{done.stderr}")


def is_refused(run, what):
    done = run.process()
    if done.returncode != EXIT_REFUSED or "error" not in done.stderr:
        raise Failure(f"expected an error and exit status {EXIT_REFUSED}, got {done.returncode}\n{done.stderr}")


for name in NAMES:
    answers(name, ("explains itself",))(explains_itself)
    if name in MISTAKES:
        answers(name, ("is refused",))(is_refused)
    else:
        answers(name, ("runs as it says",))(runs_as_it_says)

main()
