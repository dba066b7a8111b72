# SPDX-License-Identifier: MIT
"""Graphs as Graphviz files in the published form: those of the reference runs, written with the attributes and comments of the shipped
files, must take the cycles that the published simulator takes and give its values, wherever these are right.

Prints `ok NAME` or `FAIL NAME: reason`, as reference.py does.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
from checks import Checks, Failure  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent

# Graphs that the published files cannot state: coordinates that are used as references have another type of edge there.
NOT_WRITTEN = ("sddmm_locate",)
JOINS = {"Intersect": "intersect", "Union": "union"}
TYPES = {"CompressedScan": "fiberlookup", "DenseScan": "fiberlookup", "RepSigGen": "repsiggen", "Repeat": "repeat", "Array": "arrayvals",
         "Mul": "mul", "Add": "add", "Sub": "add", "Reduce": "reduce", "Accum1": "spaccumulator", "Accum2": "spaccumulator",
         "CrdDrop": "crddrop", "CrdHold": "crdhold", "CrdWrite": "fiberwrite", "ValsWrite": "fiberwrite", **JOINS}
RUNS = {"tiny": None, "tiny_seed1": None, "small": ("mmadd", "innerprod", "spmspm", "residual.final", "mattransmul.final")}


class Published:
    """A reference graph as a published file would have it."""

    def __init__(self, case):
        self.case, self.nodes = case, dict(case["graph"]["nodes"])
        self.sources = {(e["dst"], e["port"]): [tuple(s) for s in e["src"]] for e in case["graph"]["edges"]}
        self.dissolve_stop_drops()
        self.unite_chains()
        equation = re.split(r" order |, C,D|, b=e", case["expression"])[0]
        self.indices = {t: i.split(",") for t, i in re.findall(r"(\w+)\(([\w,]+)\)", equation)}
        self.result = re.match(r"\w+", equation)[0]
        self.tensors = [t for t in dict.fromkeys(re.findall(r"([A-Za-z]\w*)(?:\(|\*|\+|-|$)", equation.split("=")[1]))]

    def dissolve_stop_drops(self):
        """The accumulator of the published files takes streams with stops."""
        for name in [n for n, node in self.nodes.items() if node["type"] == "StopDrop"]:
            source = self.sources.pop((name, "in"))
            for key, given in self.sources.items():
                self.sources[key] = [source[0] if s[0] == name else s for s in given]
            del self.nodes[name]

    def unite_chains(self):
        """Three unions of two, of which two join the coordinates of the first with a third operand, stand for one of three."""
        for first in [n for n in self.nodes if re.match(r"union[a-z]1_", n)]:
            second, third = first.replace("1_", "2_", 1), first.replace("1_", "3_", 1)
            self.sources[(first, "in3")] = self.sources[(second, "in1")]
            outputs = {(second, "ref2"): "ref1", (third, "ref2"): "ref2", (third, "ref1"): "ref3", (second, "ref1"): "ref3",
                       (second, "crd"): "crd", (third, "crd"): "crd"}
            for name in (second, third):
                del self.nodes[name], self.sources[(name, "in1")], self.sources[(name, "in2")]
            for key, given in self.sources.items():
                self.sources[key] = [(first, outputs[s]) if s in outputs else s for s in given]

    # --- what streams carry ---

    def index_of(self, stream):
        """Of a stream of coordinates."""
        name, port = stream
        kind = self.nodes[name]["type"]
        if kind in ("CrdDrop", "CrdHold", "Accum1", "Accum2"):
            return self.index_of(self.sources[(name, port.split("_")[1])][0])
        return re.match(r"fiberlookup_[A-Za-z]([a-z])_|(?:intersect|union)([a-z])", name).expand(r"\1\2")

    def tensor_of(self, stream):
        """Of a stream of references."""
        name, port = stream
        if self.nodes[name]["type"] in JOINS:
            return self.tensor_of(self.sources[(name, port.replace("ref", "in"))][0])
        return re.match(r"(?:fiberlookup|repeat)_([A-Za-z])", name)[1]

    # --- the file ---

    def attributes(self, name):
        node = self.nodes[name]
        kind = node["type"]
        says = {"type": TYPES[kind]}
        root = "true" if name in self.case["graph"]["roots"] else "false"
        if says["type"] == "fiberlookup":
            says |= {"index": self.index_of((name, "crd")), "tensor": node["tensor"], "mode": node["mode"],
                     "format": "dense" if kind == "DenseScan" else "compressed", "src": "true", "root": root}
        elif kind in JOINS:
            says |= {"index": self.index_of((name, "crd"))}
        elif kind == "RepSigGen":
            says |= {"index": self.index_of(self.sources[(name, "in")][0])}
        elif kind == "Repeat":
            tensor, index = re.match(r"repeat_([A-Za-z])([a-z])", name).groups()
            says |= {"index": index, "tensor": tensor, "root": root}
        elif kind == "Array":
            says |= {"tensor": node["tensor"]}
        elif kind in ("Add", "Sub"):
            says |= {"sub": int(kind == "Sub")}
        elif kind in ("CrdDrop", "CrdHold"):
            says |= {side: self.index_of(self.sources[(name, side)][0]) for side in ("outer", "inner")}
        elif kind in ("Accum1", "Accum2"):
            says |= {"order": kind[-1], "in0": self.index_of((name, "crd_inner"))}
            says |= {"in1": self.index_of((name, "crd_outer"))} if kind == "Accum2" else {}
        elif kind == "CrdWrite":
            index = self.index_of(self.sources[(name, "in")][0])
            says |= {"index": index, "tensor": self.result, "mode": self.indices[self.result].index(index), "format": "compressed",
                     "sink": "true"}
        elif kind == "ValsWrite":
            says |= {"tensor": self.result, "mode": "vals", "sink": "true"}
        return says

    def edges(self):
        for (to, port), streams in self.sources.items():
            for name, out in streams:
                kind = "repsig" if out == "repsig" else out[:3]
                comment = ""
                if self.nodes[to]["type"] in JOINS:
                    comment = "in-" + self.tensor_of(streams[0])
                elif self.nodes[name]["type"] in JOINS and kind == "ref":
                    comment = "out-" + self.tensor_of((name, out))
                elif self.nodes[name]["type"] in ("CrdDrop", "CrdHold") and kind == "crd":
                    comment = f"{out[4:]}-{self.index_of((name, out))}"
                elif kind == "crd":
                    comment = self.index_of((name, out))
                yield name, to, kind, comment

    def formats(self):
        given = {"C": [0, 1], "D": [1, 0], **self.case["formats"]}
        letters = {node["tensor"]: "d" if node["type"] == "DenseScan" else "s" for node in self.nodes.values() if "Scan" in node["type"]}
        yield self.result, "s", self.case["output_modes"] if self.indices.get(self.result) else []
        for tensor in self.tensors:
            yield tensor, letters.get(tensor), given[tensor] if tensor in self.indices else []

    def text(self):
        form = ",".join(f"{t}={letter * len(modes)}{''.join(map(str, modes))}" if modes else f"{t}=none" for t, letter, modes in self.formats())
        lines = ["digraph SAM {", f'    comment="{form}"']
        for name in self.nodes:
            says = " ".join(f'{key}="{value}"' for key, value in self.attributes(name).items())
            lines.append(f"    {name} [{says} shape=box style=filled]")
        for name, to, kind, comment in self.edges():
            more = f' comment="{comment}"' if comment else ""
            lines.append(f'    {name} -> {to} [label="{kind}" type="{kind}"{more}]')
        return "\n".join(lines) + "\n}\n"


def words_of(graph, result):
    words = [f"{tensor}={HERE / 'inputs' / file}" for tensor, file in result["inputs"].items()]
    shapes = dict(result["shapes"])
    for tensor, what in result["extra"].items():
        words.append(f"{tensor}={what['scalar']}" if "scalar" in what else f"{tensor}=ones")
        shapes |= {tensor: what["shape"]} if "shape" in what else {}
    sizes = {i: n for tensor, shape in shapes.items() for i, n in zip(graph.indices.get(tensor, []), shape)}
    return words + [f"{i}={n}" for i, n in sizes.items()]


def values_of(file):
    """Those that are not zero, sorted."""
    if file.suffix == ".npy":  # a scalar stands at the end
        return [v for v in struct.unpack("<d", file.read_bytes()[-8:]) if v]
    return sorted(float(line.split()[-1]) for line in file.read_text().splitlines() if line[0] not in "%#" and float(line.split()[-1]))


def check(binary, case, result, folder):
    graph = Published(case)
    file, written = folder / "graph.gv", folder / ("result.tns" if graph.result in graph.indices else "result.npy")
    file.write_text(graph.text())
    done = subprocess.run([binary, "simulate", str(file), *words_of(graph, result), "--json", "-o", f"{graph.result}={written}"],
                          capture_output=True, text=True, timeout=120)
    if not result["right"] and done.returncode in (0, 1):
        return  # an error is as good as the wrong values that the graph has
    if done.returncode:
        raise Failure(f"exit status {done.returncode}: {done.stderr.strip()}")
    cycles = json.loads(done.stdout)["cycles"]
    if cycles != result["cycles"]:
        raise Failure(f"{cycles} cycles, the reference takes {result['cycles']}")
    if values_of(written) != sorted(v for v in result["vals"] if v):
        raise Failure(f"values {values_of(written)}, the reference has {result['vals']}")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for name, case in json.loads((HERE / "reference.json").read_text()).items():
            for size, chosen in RUNS.items():
                label = f"{name}.{size}"
                if not case["graph"] or size not in case["runs"] or name.startswith(NOT_WRITTEN):
                    continue
                if chosen and not name.startswith(chosen):
                    continue
                if not case["runs"][size]["right"]:
                    label += " is wrong, but ends"
                checks.make(label, check, checks.cyclotron, case, case["runs"][size], pathlib.Path(folder))
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
