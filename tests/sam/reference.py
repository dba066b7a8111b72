# SPDX-License-Identifier: MIT
"""Programs as stream graphs against reference runs of the published simulator: right results always (the interpreter is asked),
the same cycles and, on the tiny inputs, the same tokens in the same cycles wherever the reference is right.

Prints `ok NAME` or `FAIL NAME: reason`, as the scripts in tests/examples do.
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Where ours must take other cycles than a reference that is right, and how many more or fewer.
OTHER_CYCLES = {}
# Graphs that keep empty fibers as explicit zeros and drop nothing.
KEEPS_ZEROS = {"spmspm_ijk.study", "spmspm_jik.study", "ttv.final", "ttm.final", "mttkrp.final"}


class Failure(Exception):
    pass


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


def signatures(sources):
    """sources: node -> (type, [(port, [(node, out port)])]). A name for each node by what it is and what feeds it."""
    known = {}

    def of(node):
        if node not in known:
            known[node] = "…"
            kind, feeds = sources[node]
            known[node] = kind + "(" + ",".join(sorted(f"{port}:{of(n)}.{p}" for port, n, p in feeds)) + ")"
        return known[node]

    return {node: of(node) for node in sources}


OUT = {"crd_outer": "outer", "crd_inner": "inner"}


def reference_streams(graph, trace):
    """signature.port -> tokens, for every output that somebody reads."""
    sources = {}
    for name, node in graph["nodes"].items():
        kind = node["type"]
        index = re.match(r"[a-z]+_?([A-Za-z]*?)([a-z])_", name)
        if kind in ("CompressedScan", "DenseScan"):
            kind = f"scan {node['tensor']}{node['mode']}"
        elif kind == "Array":
            kind = f"array {node['tensor']}"
        feeds = []
        for edge in graph["edges"]:
            if edge["dst"] == name:
                feeds += [("in", n, OUT.get(p, p)) for n, p in edge["src"]]
        sources[name] = (kind, feeds)
    names = signatures(sources)
    streams = {}
    for edge in graph["edges"]:
        ports = trace.get(edge["dst"], {})
        for port, tokens in ports.items():
            if port_name(port) != edge["port"]:
                continue
            for place, (node, out) in enumerate(edge["src"]):
                streams[(names[node], out_of(sources[node][0], out))] = [[t[0], t[1 + place]] for t in tokens]
    return streams


def port_name(method):
    return {"set_in_ref": "ref", "set_istream": "in", "set_in_repsig": "repsig", "set_in_repeat": "repsig", "set_load": "ref",
            "set_in_val": "val", "set_in_stream": "in", "set_crd_outer": "outer", "set_crd_inner": "inner",
            "set_outer_crd": "outer", "set_inner_crd": "inner", "set_val": "val", "set_input": "in", "set_in1": "in1",
            "set_in2": "in2"}[method]


def out_of(kind, port):
    return OUT.get(port, port)
