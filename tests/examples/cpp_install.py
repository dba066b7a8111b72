#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Installs the build under test, moves it elsewhere, builds examples/cpp against it in two ways, and runs them.

usage: tests/examples/cpp_install.py --cyclotron PATH
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples/cpp"
STRICT = "-Wall -Wextra -Wpedantic -Werror -O0"

EXPECTED = {
    "cholesky": """A stores 460 values, L 1009
diagonal 4.0: L(0,0) = 2.000000, L(99,99) = 1.818798
diagonal 4.5: L(0,0) = 2.121320, L(99,99) = 1.988032
diagonal 5.0: L(0,0) = 2.236068, L(99,99) = 2.129132
the last value is in column 99: 2.129132
""",
    "alignment": """let match = 1
let mismatch = -1
let gap = -1
tensor a(m): i32
tensor b(n): i32
tensor H(m+1,n+1): i32
tensor score: i32
H(i,0) = gap * i
H(0,j) = gap * j : j >= 1
H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), match, mismatch), H(i-1,j) + gap, H(i,j-1) + gap) : i >= 1, j >= 1
score = H(m,n)

score 0
""",
    "device": """once: 0.25 0.5 0.25
ten times: 0.160179 0.176197 0.160179
once more: 0.154172 0.168188 0.154172
""",
    "files": """A is 3 x 3 csr and stores 7 values
L stores 5 values, and its last one is 1.647509
error: no such file `nowhere.mtx`
""",
    "threads": "1.000000\n2.000000\n3.000000\n4.000000\n",
    "views": """y = 3 7.5
y = 3 30
line 3, column 8: `x(i-1)` reads outside `x`
`a` is declared as f64, but its view holds f32
""",
}


def shell(*command, **settings):
    """The output of a command; raises with that output where it fails."""
    run = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, **settings)
    if run.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit status {run.returncode}\n{run.stdout}")
    return run.stdout


def check(name, test):
    try:
        test()
        print(f"ok {name}", flush=True)
    except Exception as error:
        print(f"FAIL {name}: {error}", flush=True)


def run_examples(names, folder, environment):
    for name in names:
        output = shell(folder / name, env=environment)
        if output != EXPECTED[name]:
            raise RuntimeError(f"{name} prints\n{output}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cyclotron", type=pathlib.Path, required=True)
    build_tree = parser.parse_args().cyclotron.resolve().parent.parent.parent
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "moved"
        environment = dict(os.environ, CYCLOTRON_CACHE=str(folder / "cache"), CYCLOTRON_CFLAGS="-O0",
                           PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))

        def install():
            shell("cmake", "--install", build_tree, "--prefix", folder / "first")
            (folder / "first").rename(prefix)
            shell(prefix / "bin/cyclotron", "--version")
            if b"first" in (prefix / "lib/pkgconfig/cyclotron.pc").read_bytes():
                raise RuntimeError("cyclotron.pc names the folder it was installed to")

        def with_cmake():
            shell("cmake", "-S", EXAMPLES, "-B", folder / "cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
                  f"-DCMAKE_CXX_FLAGS={STRICT}")
            shell("ninja", "-C", folder / "cmake")
            run_examples(EXPECTED, folder / "cmake", environment)

        def with_pkg_config():
            shutil.copytree(EXAMPLES, folder / "make")
            names = ["cholesky", "threads"]  # the others are no different
            shell("make", "-C", folder / "make", *names, env=dict(environment, CXXFLAGS=STRICT))
            run_examples(names, folder / "make", environment)

        def named_libraries():
            """pkg-config names what a program needs and nothing more: leaving out any of it, nothing links."""
            flags = shell("pkg-config", "--static", "--libs", "cyclotron", env=environment).split()
            libraries = [flag for flag in flags if flag.startswith("-l")]
            if set(libraries) - {"-ldl"} != {"-lcyclotron", "-lfmt", "-lisl", "-lz"}:
                raise RuntimeError(f"the libraries are {' '.join(libraries)}")
            shell("c++", "-std=c++20", "-O0", f"-I{prefix}/include", "-c", EXAMPLES / "cholesky.cpp", cwd=folder)
            for left_out in [None, *libraries]:
                kept = [flag for flag in flags if flag != left_out]
                run = subprocess.run(["c++", "-o", "linked", "cholesky.o", *kept], cwd=folder, capture_output=True)
                if (run.returncode == 0) != (left_out is None):
                    raise RuntimeError(f"it links without {left_out}" if left_out else run.stderr.decode())

        def without_isl():
            hide = folder / "hide.cmake"
            hide.write_text('macro(find_library variable)\n  if("${variable}" MATCHES ZLIB)\n'
                            "    _find_library(${variable} z)\n  endif()\nendmacro()\n")  # the only other one
            run = subprocess.run(["cmake", "-S", EXAMPLES, "-B", folder / "empty", f"-DCMAKE_PREFIX_PATH={prefix}",
                                  f"-DCMAKE_PROJECT_INCLUDE={hide}"], text=True, capture_output=True)
            if "Cyclotron needs the library isl" not in " ".join(run.stderr.split()):
                raise RuntimeError(run.stdout + run.stderr)

        check("install", install)
        check("find_package", with_cmake)
        check("pkg_config", with_pkg_config)
        check("named_libraries", named_libraries)
        check("without_isl", without_isl)


if __name__ == "__main__":
    main()
