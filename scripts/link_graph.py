# SPDX-License-Identifier: MIT
"""Which library may include what, read from the CMakeLists.txt files.

All of src/ is one include path, so that a file may include a header of a library which its own does not link, and
the build often goes through all the same. Here every source of every target is followed through its includes: each
header on the way must belong to a library that the target links, itself or through the libraries that it links.
"""
import os
import pathlib
import re

CALL = re.compile(r"\b(add_library|add_executable|target_link_libraries|target_include_directories)\s*\(([^()]*)\)")
INCLUDE = re.compile(r'#\s*include "([^"]+)"')
KEYWORDS = {"PUBLIC", "PRIVATE", "INTERFACE"}
HEADERS_OF_ALL = "${PROJECT_SOURCE_DIR}/include"


class Graph:
    """The targets of a tree: where their files lie, and what they link."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.sources = {}  # target --> its .cpp files
        self.folder = {}  # target --> the folder that its CMakeLists.txt is in
        self.links = {}  # target --> {library: whether those that link the target see it, too}
        self.public = set()  # targets that offer the headers of include/
        self.included = {}  # file --> [(line, header)]
        for cmake in sorted(self.root.rglob("CMakeLists.txt")):
            if "build" not in cmake.relative_to(self.root).parts:
                self.read(cmake)

    def read(self, cmake):
        text = re.sub(r"#.*", "", cmake.read_text())
        for call, arguments in CALL.findall(re.sub(r"\$<[^<>]*>", lambda m: m[0].strip("$<>").split(":", 1)[-1], text)):
            target, *words = arguments.split()
            if call.startswith("add_") and "ALIAS" not in words and "$" not in target:
                self.folder[target] = cmake.parent
                self.sources[target] = [cmake.parent / w for w in words if w.endswith(".cpp")]
            elif call == "target_link_libraries":
                self.add_links(target, words)
            elif call == "target_include_directories" and HEADERS_OF_ALL in words:
                self.public.add(target)

    def add_links(self, target, words):
        passed_on = True
        for word in words:
            if word in KEYWORDS:
                passed_on = word != "PRIVATE"
            else:
                self.links.setdefault(target, {})[word] = passed_on

    def seen_by(self, target):
        """The target, what it links, and what those pass on."""
        seen, left = {target}, list(self.links.get(target, {}))
        while left:
            library = left.pop()
            if library not in seen:
                seen.add(library)
                left += [l for l, passed_on in self.links.get(library, {}).items() if passed_on]
        return seen

    def owners(self, header):
        """The targets any of which must be linked to include the header: that with its .cpp, or all of its folder."""
        if header.is_relative_to(self.root / "include"):
            return self.public
        folder = header.parent
        while folder != self.root and folder not in self.folder.values():
            folder = folder.parent
        near = {t for t, at in self.folder.items() if at == folder}
        with_source = {t for t in near if header.with_suffix(".cpp") in self.sources[t]}
        return with_source or near

    def is_free(self, header):
        """Tests may take a header without a .cpp from each other."""
        return header.is_relative_to(self.root / "tests") and not header.with_suffix(".cpp").exists()

    def includes_of(self, path):
        if path not in self.included:
            found = []
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if match := INCLUDE.match(line):
                    places = [self.root / "src", self.root / "include", path.parent, self.root / "tests"]
                    header = next((p / match[1] for p in places if (p / match[1]).is_file()), None)
                    if header:  # or one of another project
                        found.append((number, pathlib.Path(os.path.normpath(header))))
            self.included[path] = found
        return self.included[path]

    def wrong_includes(self):
        """(path, line, message) for each include of a header whose library is not linked, once."""
        wrong = {}
        for target in sorted(self.sources):
            seen, done, left = self.seen_by(target), set(), [s for s in self.sources[target] if s.is_file()]
            while left:
                path = left.pop()
                if path in done:
                    continue
                done.add(path)
                for number, header in self.includes_of(path):
                    owners = self.owners(header)
                    if seen & owners or self.is_free(header):
                        left.append(header)
                    else:
                        owner = " or ".join(sorted(owners)) or "no library"
                        wrong.setdefault((path, number), f"{target} includes {header.relative_to(self.root)} of "
                                         f"{owner}, which it does not link")
        return [(path, number, message) for (path, number), message in sorted(wrong.items())]

    def wrong_order(self, rows):
        """(target, library) where the folder of the library stands below that of the target in `rows`."""
        def place(target):
            at = self.folder[target].relative_to(self.root / "src").parts
            return next((rows.index(name) for n in range(len(at), 0, -1) if (name := "/".join(at[:n])) in rows), None)
        ours = {t for t, at in self.folder.items() if at.is_relative_to(self.root / "src")}
        for target in sorted(ours):
            for library in sorted(ours & set(self.links.get(target, {}))):
                mine, other = place(target), place(library)
                if mine is not None and other is not None and other > mine:
                    yield target, library
