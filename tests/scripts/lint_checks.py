#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The checks of the lint that could pass by seeing nothing: which library may include what, and how long functions
are, each on a small tree made for it. Prints `ok NAME` or `FAIL NAME: reason`."""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from function_lengths import LongFunctions, cpp_functions  # noqa: E402
from link_graph import Graph  # noqa: E402

TREE = {
    "src/base/CMakeLists.txt": "add_library(base STATIC\n  base.cpp\n)\n",
    "src/base/base.cpp": '#include "base/base.hpp"\n',
    "src/base/base.hpp": "",
    # Two libraries in a folder, as in src/recurrence: the second needs more than the first.
    "src/middle/CMakeLists.txt": "add_library(plain plain.cpp) # the first\ntarget_link_libraries(plain PUBLIC base)\n"
                                 "add_library(rich rich.cpp)\ntarget_link_libraries(rich PUBLIC plain PRIVATE hidden)\n",
    "src/middle/plain.cpp": '#include "middle/plain.hpp"\n#include "base/base.hpp"\n#include "middle/free.hpp"\n',
    "src/middle/plain.hpp": "",
    "src/middle/free.hpp": '#include "base/base.hpp"\n',
    "src/middle/rich.cpp": '#include "middle/rich.hpp"\n#include "hidden/hidden.hpp"\n',
    "src/middle/rich.hpp": "",
    "src/hidden/CMakeLists.txt": "add_library(hidden hidden.cpp)\n",
    "src/hidden/hidden.cpp": "",
    "src/hidden/hidden.hpp": "",
    "src/backend/one/CMakeLists.txt": "add_library(one one.cpp)\ntarget_link_libraries(one PUBLIC plain)\n",
    "src/backend/one/one.cpp": '#include "backend/one/one.hpp"\n',
    "src/backend/one/one.hpp": '#include "base/base.hpp"\n',
    "src/backend/two/CMakeLists.txt": "add_library(two two.cpp)\ntarget_link_libraries(two PUBLIC rich)\n",
    "src/backend/two/two.cpp": '#include "middle/rich.hpp"\n',
}


def check(name, got, want):
    print(f"ok {name}" if got == want else f"FAIL {name}: {got!r} instead of {want!r}")


def in_tree(changes, look):
    """What `look` says about the tree with these files instead of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**TREE, **changes}.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return look(pathlib.Path(folder))


def wrong_includes(changes):
    def look(root):
        return [f"{path.relative_to(root)}:{line}: {message}" for path, line, message in Graph(root).wrong_includes()]
    return in_tree(changes, look)


check("includes/none_wrong", wrong_includes({}), [])
check("includes/upwards", wrong_includes({"src/base/base.hpp": '\n#include "middle/plain.hpp"\n'}),
      ["src/base/base.hpp:2: base includes src/middle/plain.hpp of plain, which it does not link"])
check("includes/other_backend", wrong_includes({"src/backend/one/one.cpp": '#include "backend/two/two.hpp"\n',
                                                "src/backend/two/two.hpp": ""}),
      ["src/backend/one/one.cpp:1: one includes src/backend/two/two.hpp of two, which it does not link"])
check("includes/other_backend_linked",
      wrong_includes({"src/backend/one/one.cpp": '#include "backend/two/two.hpp"\n', "src/backend/two/two.hpp": "",
                      "src/backend/one/CMakeLists.txt": "add_library(one one.cpp)\n"
                                                        "target_link_libraries(one PUBLIC two plain)\n"}), [])
check("includes/second_library_of_a_folder",
      wrong_includes({"src/backend/one/one.cpp": '#include "middle/rich.hpp"\n'}),
      ["src/backend/one/one.cpp:1: one includes src/middle/rich.hpp of rich, which it does not link"])
check("includes/through_a_header_alone",
      wrong_includes({"src/middle/free.hpp": '#include "middle/rich.hpp"\n'}),
      ["src/middle/free.hpp:1: plain includes src/middle/rich.hpp of rich, which it does not link"])
check("includes/private_link", wrong_includes({"src/backend/two/two.cpp": '#include "hidden/hidden.hpp"\n'}),
      ["src/backend/two/two.cpp:1: two includes src/hidden/hidden.hpp of hidden, which it does not link"])


def wrong_order(rows):
    return in_tree({}, lambda root: list(Graph(root).wrong_order(rows)))


check("table/in_order", wrong_order(["base", "hidden", "middle", "backend/one", "backend/two"]), [])
check("table/below", wrong_order(["middle", "base", "hidden", "backend/one"]),
      [("plain", "base"), ("rich", "hidden")])

CODE = """// int comment() {
namespace a::b {
const char* text = R"(int raw() {)";
const std::vector<int> table = {
    1,
};
struct Point {
  int x = 0, y{1};
  explicit Point(int a)
      : x(a), y{2} {
    x++;
  }
  bool operator()(int c) const { return c == '{'; }

private:
  template <class T, class = std::enable_if_t<(sizeof(T) > 1)>>
  static T
  twice(T value) {
    const auto lambda = [&] {
      return value;
    };
    struct Inner {
      int f() { return 1; }
    };
    return lambda() + value;
  }
};
class alignas(64) Wide {
  void empty() {}
};
enum class Kind { one, two };
TEST(Suite, Case) {
  if (a) {
  }
}
} // namespace a::b
"""
check("functions/found", list(cpp_functions(CODE)),
      [(9, 4, "Point"), (13, 1, "operator()"), (16, 11, "twice"), (29, 1, "empty"), (32, 4, "TEST(Suite, Case)")])


def judged(allowed, lines, shrink=False):
    """What is said of a function of so many lines where 5 are allowed, and the list afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "list.txt").write_text(allowed)
        (root / "a.cpp").write_text("\nint f() {\n" + "  work();\n" * (lines - 2) + "}\n")
        long_ones = LongFunctions(root, root / "list.txt", 5)
        found = long_ones.measure([root / "a.cpp"])
        if shrink:
            long_ones.shrink(found)
            long_ones = LongFunctions(root, root / "list.txt", 5)
        said = [f"{path.name}:{line}: {message}" for path, line, message in long_ones.failures(found)]
        return said, (root / "list.txt").read_text()


check("lengths/short", judged("", 5)[0], [])
check("lengths/long", judged("", 6)[0], ["a.cpp:2: `f` has 6 lines; at most 5"])
check("lengths/allowed", judged("8 a.cpp f\n", 8)[0], [])
check("lengths/grown", judged("8 a.cpp f\n", 9)[0],
      ["a.cpp:2: `f` has 9 lines; at most 5, and it may not grow beyond 8"])
check("lengths/shrunk", judged("8 a.cpp f\n", 7)[0],
      ["list.txt:1: `f` of a.cpp has 7 lines now: write 7 instead of 8"])
check("lengths/mended", judged("8 a.cpp f\n", 5)[0], ["list.txt:1: `f` of a.cpp is no longer too long: take this line out"])
check("lengths/gone", judged("8 a.cpp g\n", 3)[0], ["list.txt:1: `g` of a.cpp is no longer too long: take this line out"])
check("lengths/update", judged("8 a.cpp f\n9 a.cpp g\n", 7, shrink=True), ([], "7 a.cpp f\n"))
check("lengths/update_never_grows", judged("8 a.cpp f\n", 9, shrink=True),
      (["a.cpp:2: `f` has 9 lines; at most 5, and it may not grow beyond 8"], "8 a.cpp f\n"))
