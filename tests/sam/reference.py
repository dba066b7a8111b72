# SPDX-License-Identifier: MIT
"""Programs as stream graphs against reference runs of the published simulator: right results always (the interpreter is asked),
the same cycles and, on the tiny inputs, the same tokens in the same cycles wherever the reference is right.

Prints `ok NAME` or `FAIL NAME: reason`, as the scripts in tests/examples do.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
from checks import Checks, Failure  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent

# Where ours must take other cycles than a reference that is right, and how many more or fewer.
# Three droppers in a row end two cycles later than the writers of a graph that drops nothing (which has explicit zeros instead).
OTHER_CYCLES = {"ttm.final": 2}
# Graphs that keep empty fibers as explicit zeros and drop nothing.
KEEPS_ZEROS = {"spmspm_ijk.study", "spmspm_jik.study", "ttv.final", "ttm.final", "mttkrp.final"}
# Graphs with blocks that are not ours: a dropper that loses coordinates which a sum keeps, one where nothing can be empty, a
# union of three out of three unions of two, a repeater that nobody reads.
OTHER_BLOCKS = {"mattransmul.gen", "sddmm_coiter_K1.study", "sddmm_coiter_K10.study", "plus3.final", "sddmm_locate_K1.study",
                "sddmm_locate_K10.study"}
# Where the published blocks put out what is not there: unions an empty coordinate for rows that only one side has, reducers a
# zero for a fiber that has no coordinate above.
SPURIOUS = {"mmadd.gen", "mmadd.final", "plus2.gen", "plus3.final", "mttkrp.final"}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Failure(f"exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def program_of(name, case):
    """The .cyc text of a reference kernel, from the expression that its file states."""
    kernel = name.split(".")[0]
    text = case["expression"]
    order = re.search(r" order ([\w,]+)$", text)
    equation = re.split(r" order |, C,D|, b=e", text)[0]
    extra = next(iter(case["runs"].values()))["extra"]
    lines = []
    if kernel.startswith("sddmm_unfused"):
        extra = {"C": {"dense_ones": True}, "D": {"dense_ones": True}}
        equation = "T(i,j)=C(i,k)*D(k,j)\nX(i,j)=B(i,j)*T(i,j)"
        lines.append("tensor T(n_i, n_j)")
    for tensor, indices in dict(re.findall(r"(\w+)(\([\w,]+\))?", equation)).items():
        dims = ", ".join("n_" + i for i in indices.strip("()").split(",")) if indices else ""
        rank = dims.count(",") + 1 if dims else 0
        if tensor in ("i", "j", "k", "l", "T"):
            continue
        if rank == 0 or tensor in extra:
            form = "{dense, dense} order (1,0)" if tensor == "D" and kernel.startswith("sddmm") else "dense"
        else:
            modes = case["formats"].get(tensor, case["output_modes"])
            form = "{" + ", ".join(["compressed"] * rank) + "} order (" + ",".join(map(str, modes)) + ")"
        lines.append(f"tensor {tensor}({dims}): {form}")
    lines.append(equation)
    commands = []
    if order:
        commands.append("order " + ", ".join(order[1].replace(",", "")))
    if kernel.startswith("sddmm_locate"):
        commands += ["locate C along i", "locate D along j"]
    for schedule, more in (("usual", []), ("zeros", ["explicit_zeros " + equation[0]])):
        lines.append(f"schedule {schedule} {{\n" + "".join(f"  {c}\n" for c in commands + more) + "}")
    return "\n".join(lines) + "\n"


def inputs_of(name, result):
    words = []
    sizes = {}
    for tensor, file in result["inputs"].items():
        words.append(f"{tensor}={HERE / 'inputs' / file}")
        indices = re.search(r"_([a-z]+)\.", file)[1]
        sizes.update(zip(indices, result["shapes"][tensor]))
    for tensor, what in result["extra"].items():
        words.append(f"{tensor}={what['scalar']}" if "scalar" in what else f"{tensor}=ones")
    if name.startswith("sddmm"):
        sizes["k"] = int(re.search(r"_K(\d+)", name)[1])
        words += [] if result["extra"] else ["C=ones", "D=ones"]
    return words, sizes


def indices_of_expression(case, result, sizes):
    """Sizes by the indices of the expression: files are named after the indices of another one now and then."""
    named = {}
    for tensor, indices in re.findall(r"(\w+)\(([\w,]+)\)", case["expression"]):
        if tensor in result["shapes"]:
            named.update(zip(indices.split(","), result["shapes"][tensor]))
    if "k" in sizes and "k" not in named:
        named["k"] = sizes["k"]
    return [f"n_{i}={n}" for i, n in named.items()]


JOINS = ("intersect", "union")


class Wiring:
    """Names the streams of a graph by what makes them, so that those of two graphs can be compared.

    blocks: name -> kind; feeds: (name, port) -> (name, port) that it reads. A chain of joins of one kind counts as one.
    """

    def __init__(self, blocks, feeds):
        self.blocks, self.feeds, self.known = blocks, feeds, {}

    def inputs(self, block):
        return [(port, source) for (name, port), source in self.feeds.items() if name == block]

    def name(self, stream):
        if stream not in self.known:
            self.known[stream] = "…"  # a circle ends here
            self.known[stream] = self.make(*stream)
        return self.known[stream]

    def make(self, block, port):
        kind = self.blocks[block]
        if kind == "stopdrop":
            return self.name(self.inputs(block)[0][1])
        if kind not in JOINS:
            feeds = sorted(f"{p.split()[0]}:{self.name(source)}" for p, source in self.inputs(block))
            return f"{kind}({','.join(feeds)}).{port}"
        own = f"{kind}({','.join(sorted(self.leaves(block)))})"
        return own + ".crd" if port == "crd" else f"{own}.ref of {self.origin(block, port)}"

    def leaves(self, block):
        for port, source in self.inputs(block):
            if not port.startswith("crd"):
                continue
            if self.blocks[source[0]] == self.blocks[block]:
                yield from self.leaves(source[0])
            else:
                yield self.name(source)

    def origin(self, block, port):
        source = self.feeds[(block, port)]
        same = self.blocks[source[0]] == self.blocks[block]
        return self.origin(*source) if same else self.name(source)


KINDS = {"Array": "array", "Mul": "mul", "Add": "add", "Sub": "sub", "Reduce": "reduce", "Repeat": "repeat", "RepSigGen": "repsig",
         "CrdDrop": "drop", "CrdHold": "hold", "Accum1": "accumulate", "Accum2": "accumulate", "StopDrop": "stopdrop",
         "CrdWrite": "write", "ValsWrite": "write", "Intersect": "intersect", "Union": "union"}
METHODS = {"set_in_ref": "ref", "set_istream": "in", "set_in_repsig": "repsig", "set_in_repeat": "repsig", "set_load": "ref",
           "set_in_val": "val", "set_in_stream": "in", "set_crd_outer": "outer", "set_crd_inner": "inner", "set_outer_crd": "outer",
           "set_inner_crd": "inner", "set_val": "val", "set_input": "in", "set_in1": "in1", "set_in2": "in2"}
ONE_PLACE = ("mul", "add", "sub", "accumulate", "array", "reduce", "write", "repsig", "stopdrop")  # ports that need no telling apart


def reference_streams(graph, trace):
    """name -> tokens, of every stream of a reference graph."""
    blocks, feeds, tokens = {}, {}, {}
    for name, node in graph["nodes"].items():
        scan = re.match(r"fiberlookup_([A-Za-z]+)([a-z])_", name)
        blocks[name] = f"scan {scan[1]}{scan[2]}" if scan else KINDS[node["type"]]
    for edge in graph["edges"]:
        name, port = edge["dst"], edge["port"]
        sources = [(n, {"crd_outer": "outer", "crd_inner": "inner"}.get(p, p)) for n, p in edge["src"]]
        sources = [(n, "val" if blocks[n] == "stopdrop" else p) for n, p in sources]
        if blocks[name] in JOINS:
            side = port[-1]
            feeds[(name, "ref" + side)], feeds[(name, "crd" + side)] = sources
        else:
            feeds[(name, port)] = sources[0]
        for method, list_of in trace.get(name, {}).items():
            if METHODS[method] == port:
                for place, source in enumerate(sources):
                    tokens[source] = [[t[0], t[1 + place]] for t in list_of]
    wiring = Wiring(blocks, {(n, f"in {p}" if blocks[n] in ONE_PLACE else p): source for (n, p), source in feeds.items()})
    return {wiring.name(s): t for s, t in tokens.items() if blocks[s[0]] != "stopdrop" and blocks[s[0]] != "accumulate"}, \
        [t for s, t in tokens.items() if blocks[s[0]] == "accumulate"]


OUR_KINDS = {"arrayvals": "array", "repsiggen": "repsig", "crddrop": "drop", "crdhold": "hold", "spaccumulator": "accumulate",
             "fiberwrite": "write", "alu": None}


def our_streams(phase):
    blocks, feeds, tokens = {}, {}, {}
    for place, block in enumerate(phase["blocks"]):
        kind = block["block"]
        if kind == "fiberlookup":
            blocks[place] = f"scan {block['operand']}{block['index']}"
        else:
            blocks[place] = block["operation"] if kind == "alu" else OUR_KINDS.get(kind, kind)
    for wire in phase["wires"]:
        (source, out), (to, port) = wire["from"], wire["to"]
        if blocks[source] in JOINS and out != "crd":
            reads = [w["to"][1] for w in phase["wires"] if w["to"][0] == source and w["to"][1].startswith("ref")]
            out = sorted(reads, key=lambda r: [int(x) for x in r.split("_")[1:]])[int(out.split("_")[1])]
        tokens[(source, out)] = wire["tokens"]
        feeds[(to, port)] = (source, out)
    wiring = Wiring(blocks, {(n, f"in {p}" if blocks[n] in ONE_PLACE else p): source for (n, p), source in feeds.items()})
    return {wiring.name(s): t for s, t in tokens.items() if blocks[s[0]] != "accumulate"}, \
        [t for s, t in tokens.items() if blocks[s[0]] == "accumulate"]


def plain(tokens):
    return [[time, {"R": "R", "S": "S"}.get(t, t) if isinstance(t, str) else float(t)] for time, t in tokens]


def without_spurious(expected, found):
    """The reference's tokens without those that ours rightly lacks."""
    ours = {time for time, _ in found}
    left_out = [t for t in expected if t[0] not in ours]
    if any(t not in ("N", 0.0) and not str(t).startswith("S") for _, t in left_out):
        return expected
    return [t for t in expected if t[0] in ours]


def compare_tokens(name, graph, trace, phase):
    expected, gathered = reference_streams(graph, trace)
    found, ours = our_streams(phase)
    missing = [stream for stream in expected if stream not in found]
    if missing and name not in OTHER_BLOCKS or len(missing) > len(expected) / 3:
        raise Failure(f"no stream {missing[0]}")
    for stream, tokens in expected.items():
        if stream in missing:
            continue
        if name in SPURIOUS:
            tokens = without_spurious(plain(tokens), found[stream])
        if plain(tokens) != plain(found[stream]):
            raise Failure(f"{stream}: expected {plain(tokens)}, found {plain(found[stream])}")
    if sorted(map(str, map(plain, gathered))) != sorted(map(str, map(plain, ours))):
        raise Failure(f"behind the reducer: expected {gathered}, found {ours}")


class Runner:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)

    def simulate(self, program, words, tokens=False, schedule="usual"):
        """Statistics as JSON, and every token."""
        file = self.folder / "tokens.json"
        options = ["--tokens", str(file)] if tokens else []
        options += ["--schedule", schedule] if program.endswith(".cyc") else []
        text = run([self.binary, "simulate", "--target=sam", "--json", program, *words, *options])
        return json.loads(text), json.loads(file.read_text()) if tokens else None

    def check(self, name, case, size, trace):
        program = self.folder / "program.cyc"
        program.write_text(program_of(name, case))
        result = case["runs"][size]
        words, sizes = inputs_of(name, result)
        words += indices_of_expression(case, result, sizes)
        statistics, tokens = self.simulate(str(program), words, trace is not None)
        if not result["right"]:
            return
        difference = statistics["cycles"] - result["cycles"]
        if difference != OTHER_CYCLES.get(name, 0):
            raise Failure(f"{statistics['cycles']} cycles, the reference takes {result['cycles']}")
        if name in KEEPS_ZEROS:
            statistics, tokens = self.simulate(str(program), words, trace is not None, "zeros")
            if statistics["cycles"] != result["cycles"]:
                raise Failure(f"with explicit zeros {statistics['cycles']} cycles, the reference takes {result['cycles']}")
        if trace and case["graph"]:
            compare_tokens(name, case["graph"], trace, tokens[-1])


def main():
    checks = Checks()
    reference = json.loads((HERE / "reference.json").read_text())
    traces = json.loads(gzip.decompress((HERE / "traces.json.gz").read_bytes()))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(checks.cyclotron, folder)
        for name, case in reference.items():
            for size in case["runs"]:
                checks.make(f"{name}.{size}", runner.check, name, case, size, traces.get(name, {}).get(size))
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
