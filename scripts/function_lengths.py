# SPDX-License-Identifier: MIT
"""How long the functions of the tree are, from the first line of their head to their last brace.

C++ is read by its braces: comments and texts are blanked out, then each brace opens a scope (a namespace, a class), the
body of a function, or a list of values. What stands inside a function, such as a lambda, counts as part of it.
"""
import ast
import re

BLANKED = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"'
                     r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ ]*#(?:\\\n|[^\n])*", re.M)
SCOPE = re.compile(r"(?:^|\s)(?:namespace|class|struct|union|enum)\b(?!.*\))|^extern\s*$", re.S)
ALIGNAS = re.compile(r"\balignas\([^()]*\)")
NAME = re.compile(r"(TEST\w*\([^()]*\)|(?:operator\s*(?:\(\)|\[\]|[^\s\w(]+|[\w:]+)|~?[\w:]+)(?=\s*\())")
ACCESS = re.compile(r"\s*(?:(?:public|private|protected):\s*)*")


def blank(text):
    """The text with comments, texts and preprocessor lines blanked out; its lines stay where they are."""
    return BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def cpp_functions(text):
    """(first line, lines, name) of each function that has a body."""
    text = blank(text)
    stack, start = [], 0  # the kinds of the open braces; where the head of what comes next starts
    for at, c in enumerate(text):
        if c == "{":
            stack.append(kind_of(text[start:at], bool(stack) and stack[-1][0] != "scope", start))
            start = at + 1 if stack[-1][0] == "scope" else start
        elif c == "}" and stack:
            kind, head = stack.pop()
            if kind == "function":
                first = ACCESS.match(text, head).end()
                line = text.count("\n", 0, first) + 1
                yield line, text.count("\n", first, at) + 1, NAME.search(plain(text[first:at]))[1]
            if kind != "values":
                start = at + 1 if not any(k == "function" for k, _ in stack) else start
        elif c == ";" and (not stack or stack[-1][0] == "scope"):
            start = at + 1


def kind_of(head, inside, start):
    """What a brace behind `head` opens: part of a function or of a list that is open, a scope, a function, values."""
    if inside or not head[-1:].isspace() or head.rstrip().endswith(("=", ",", "(", "return")):
        return "values", start
    head = plain(head)
    if SCOPE.search(head) or not head:
        return "scope", start
    return ("function" if NAME.search(head) else "values"), start


def plain(head):
    """The head without `private:`, `alignas(…)`, and `template <…>`, whose brackets may nest."""
    head = ALIGNAS.sub("", head[ACCESS.match(head).end():]).strip()
    if not head.startswith("template"):
        return head
    depth = 0
    for at, c in enumerate(head):
        depth += (c == "<") - (c == ">")
        if c == ">" and depth == 0:
            return plain(head[at + 1:])
    return head


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1, node.name


def functions(path):
    text = path.read_text(errors="replace")
    return list(python_functions(text) if path.suffix == ".py" else cpp_functions(text))


class LongFunctions:
    """The functions that are longer than allowed today, each with the length that it may not exceed: a list that only
    gets shorter. Each line is `LINES PATH NAME`."""

    def __init__(self, root, allowed, most):
        self.root, self.list, self.most = root, allowed, most
        self.known = {}
        for line in allowed.read_text().splitlines() if allowed.exists() else []:
            lines, path, name = line.split(" ", 2)
            self.known[path, name] = int(lines)

    def measure(self, paths):
        """The longest function of each name in each file: {(path, name): (lines, first line)}."""
        found = {}
        for path in paths:
            for line, lines, name in functions(path):
                key = str(path.relative_to(self.root)), name
                found[key] = max(found.get(key, (0, 0)), (lines, line))
        return found

    def failures(self, found):
        """(path, line, message) of each that is too long, and of each line of the list that is out of date."""
        for (path, name), (lines, line) in found.items():
            allowed = self.known.get((path, name), self.most)
            if lines > max(allowed, self.most):
                more = "" if allowed == self.most else f", and it may not grow beyond {allowed}"
                yield self.root / path, line, f"`{name}` has {lines} lines; at most {self.most}{more}"
        for number, ((path, name), allowed) in enumerate(self.known.items(), 1):
            lines = found.get((path, name), (0, 0))[0]
            if lines <= self.most:
                yield self.list, number, f"`{name}` of {path} is no longer too long: take this line out"
            elif lines < allowed:
                yield self.list, number, f"`{name}` of {path} has {lines} lines now: write {lines} instead of {allowed}"

    def shrink(self, found):
        """Writes the list anew: nothing is added, and no number grows."""
        now = {key: min(allowed, found.get(key, (0, 0))[0]) for key, allowed in self.known.items()}
        rows = sorted((-lines, path, name) for (path, name), lines in now.items() if lines > self.most)
        self.list.write_text("".join(f"{-lines} {path} {name}\n" for lines, path, name in rows))
