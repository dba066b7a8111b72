# SPDX-License-Identifier: MIT
"""Paths, ranks and hidden Markov models, compared with SciPy's graph routines and with trying all paths."""
import itertools

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph as csgraph

from cyclotron_runner import answers, close, equal, main, random

SIZES = [(1,), (2,), (7,), (13,), (20,)]


def graph(n, density):
    """Edge lengths between 1 and 10; 0 where there is no edge."""
    return np.round(random(n, n, low=1, high=10), 3) * (random(n, n) < density) * (1 - np.eye(n))


@answers("floyd_warshall", (0,), *SIZES)
def floyd_warshall(run, n):
    g = graph(n, 0.25)
    close(run("D", G=g), csgraph.floyd_warshall(scipy.sparse.csr_matrix(g)) if n else g)


@answers("floyd_warshall", ("Matrix Market",))
def floyd_warshall_file(run, _):
    g = scipy.sparse.coo_matrix(graph(10, 0.3))
    close(run("D", G=g), csgraph.floyd_warshall(g.tocsr()))


@answers("transitive_closure", (0,), *SIZES)
def transitive_closure(run, n):
    g = graph(n, 0.12) > 0
    equal(run("R", G=g), np.linalg.matrix_power(np.eye(n) + g, max(n, 1)) > 0)


@answers("bellman_ford", (0,), *SIZES)
def bellman_ford(run, n):
    g = graph(n, 0.25)
    close(run("d", G=g), csgraph.dijkstra(scipy.sparse.csr_matrix(g), indices=0) if n else np.zeros(0))


@answers("bellman_ford", ("negative lengths", 12))
def bellman_ford_negative(run, _, n):
    g = np.triu(graph(n, 0.4) - 5 * (graph(n, 1) > 5), 1)  # no cycles at all
    close(run("d", G=g), csgraph.bellman_ford(scipy.sparse.csr_matrix(g), indices=0))


@answers("pagerank", *SIZES)
def pagerank(run, n):
    g = graph(n, 0.2)
    links = (g != 0).sum(axis=1, keepdims=True)
    follow = np.where(links > 0, (g != 0) / np.maximum(links, 1), 1 / n)
    surf = 0.85 * follow + 0.15 / n
    for steps in (0, 1, 10):
        close(run("x", G=g, T=steps), np.full(n, 1 / n) @ np.linalg.matrix_power(surf, steps))


def hidden_markov(n, steps):
    a, b, p = random(n, n), random(n, steps, low=0.1, high=0.9), random(n)
    return a / a.sum(axis=1, keepdims=True), b, p / p.sum()


def path_probabilities(a, b, p):
    """The probability of every path together with the observations."""
    n, steps = b.shape
    for path in itertools.product(range(n), repeat=steps):
        yield path[-1], p[path[0]] * np.prod([b[s, t] for t, s in enumerate(path)]) * np.prod(
            [a[s, t] for s, t in zip(path, path[1:])])


@answers("viterbi", (1, 1), (2, 1), (1, 7), (2, 7), (3, 6), (4, 5))
def viterbi(run, n, steps):
    a, b, p = hidden_markov(n, steps)
    table, best = run("V", "best", A=a, B=b, p=p)
    paths = list(path_probabilities(a, b, p))
    close(best, max(q for _, q in paths))
    close(table[:, -1], [max(q for last, q in paths if last == i) for i in range(n)])


@answers("viterbi", ("long", 8, 60))
def viterbi_long(run, _, n, steps):
    a, b, p = hidden_markov(n, steps)
    logarithms = np.log(p) + np.log(b[:, 0])
    for t in range(1, steps):
        logarithms = np.max(logarithms[:, None] + np.log(a), axis=0) + np.log(b[:, t])
    close(np.log(run("best", A=a, B=b, p=p)), logarithms.max())


@answers("hmm_forward", (1, 1), (2, 1), (1, 7), (2, 7), (3, 6), (4, 5))
def hmm_forward(run, n, steps):
    a, emissions, p = hidden_markov(n, 3)
    seen = np.arange(steps, dtype=np.int32) * 2 % 3
    b = emissions[:, seen]
    table, likelihood = run("F", "likelihood", A=a, E=emissions, p=p, seen=seen)
    paths = list(path_probabilities(a, b, p))
    close(likelihood, sum(q for _, q in paths))
    close(table[:, -1], [sum(q for last, q in paths if last == i) for i in range(n)])


@answers("hmm_forward", ("umbrellas",))
def hmm_forward_known(run, _):
    table = run("F", seen=np.array([0, 0], np.int32))
    close(table[0, 1] / table[:, 1].sum(), 0.883, tolerance=1e-3)  # Russell and Norvig, section 15.2


main()
