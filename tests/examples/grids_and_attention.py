# SPDX-License-Identifier: MIT
"""Stencils with timesteps, and attention in its direct and its tiled form."""
import numpy as np
import scipy.linalg
import scipy.signal
import scipy.special

from cyclotron_runner import answers, close, equal, letters, main, random

GRIDS = [(0, 0), (0, 3), (1, 1), (1, 7), (2, 2), (3, 3), (5, 2), (2, 5), (7, 5), (4, 13)]


@answers("gauss_seidel", *[(m, n, steps) for m, n in GRIDS for steps in (0, 1, 5)], (3, 4, 200))
def gauss_seidel(run, m, n, steps):
    grid = random(m, n)
    # As a matrix splitting: 4 x - (earlier neighbours) x = (later neighbours) x + border.
    inside = [(i, j) for i in range(1, m - 1) for j in range(1, n - 1)]
    place = {point: k for k, point in enumerate(inside)}
    lower, upper, border = 4 * np.eye(len(inside)), np.zeros((len(inside),) * 2), np.zeros(len(inside))
    for (i, j), k in place.items():
        for neighbour in ((i - 1, j), (i, j - 1), (i + 1, j), (i, j + 1)):
            other = place.get(neighbour)
            if other is None:
                border[k] += grid[neighbour]
            elif other < k:
                lower[k, other] = -1
            else:
                upper[k, other] = 1
    want = grid.copy()
    if inside:
        rows, columns = zip(*inside)
        for _ in range(steps):
            want[rows, columns] = scipy.linalg.solve(lower, upper @ want[rows, columns] + border)
    close(run("U", G=grid, T=steps), want)


@answers("heat", *[(m, n, steps) for m, n in GRIDS if min(m, n) >= 3 for steps in (0, 1, 5)])
def heat(run, m, n, steps):
    grid = random(m, n)
    kernel = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]]) / 8
    want = grid.copy()
    for _ in range(steps):
        want[1:-1, 1:-1] = scipy.signal.correlate2d(want, kernel, mode="valid")
    close(run("U", G=grid, T=steps), want)


@answers("game_of_life", *[(m, n, steps) for m, n in GRIDS for steps in (0, 1, 6)])
def game_of_life(run, m, n, steps):
    cells = letters((m, n), alphabet=2)
    got = run("L", G=cells, T=steps)
    for _ in range(steps if cells.size else 0):
        neighbours = scipy.signal.convolve2d(cells, [[1, 1, 1], [1, 0, 1], [1, 1, 1]], mode="same")
        cells = ((neighbours == 3) | ((neighbours == 2) & (cells == 1))).astype(np.int32)
    equal(got, cells)


@answers("game_of_life", ("a glider moves by one cell in four steps",))
def game_of_life_known(run, _):
    start = run("L", T=0)
    equal(run("L", T=12), np.roll(start, (3, 3), axis=(0, 1)))


def attention_inputs(queries, keys, d):
    return {"Q": random(queries, d, low=-3, high=3), "K": random(keys, d, low=-3, high=3), "V": random(keys, d, low=-1)}


def softmax_attention(Q, K, V):
    return scipy.special.softmax(Q @ K.T / np.sqrt(Q.shape[1]), axis=1) @ V


@answers("attention", (12, 16, 8), (0, 3, 2), (1, 1, 1), (2, 7, 13))
def attention(run, queries, keys, d):
    inputs = attention_inputs(queries, keys, d)
    close(run("O", **inputs), softmax_attention(**inputs))


@answers("flash_attention", (12, 18, 8), (0, 3, 2), (1, 1, 1), (2, 4, 3), (3, 5, 1), (7, 13, 2), (2, 8, 7))
def flash_attention(run, queries, keys, d):
    inputs = attention_inputs(queries, keys, d)
    output, largest, total = run("O", "m", "l", **inputs)
    scores = inputs["Q"] @ inputs["K"].T / np.sqrt(d)
    close(output, softmax_attention(**inputs))
    close(largest, scores.max(axis=1))
    close(total, np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1))


@answers("flash_attention_array", (8, 3, 4, 4), (0, 1, 1, 2), (1, 1, 1, 1), (3, 2, 5, 3), (5, 4, 1, 2))
def flash_attention_array(run, queries, tiles, keys, d):
    inputs = attention_inputs(queries, tiles * keys, d)
    tiled = {"Q": inputs["Q"], "K": inputs["K"].reshape(tiles, keys, d), "V": inputs["V"].reshape(tiles, keys, d)}
    for options in (), ("--target=array", "--schedule", "queries"):
        close(run("O", options=options, **tiled), softmax_attention(**inputs))


@answers("flash_attention", ("large scores", 300), ("negative scores", -300))
def flash_attention_large(run, _, scale):  # exp of a score itself would overflow, or all would vanish
    inputs = attention_inputs(5, 11, 4)
    inputs["K"] = np.abs(inputs["K"])
    inputs["Q"] = scale * np.abs(inputs["Q"])
    close(run("O", **inputs), softmax_attention(**inputs))


main()
