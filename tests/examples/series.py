# SPDX-License-Identifier: MIT
"""Recurrences over one index, compared with closed forms and with SciPy."""
import math

import numpy as np
import scipy.signal

from cyclotron_runner import answers, close, equal, main, random

LENGTHS = [(0,), (1,), (2,), (7,), (13,), (50,)]


@answers("linear_recurrence", (30, 40), (0, 3), (4, 0), (1, 1), (13, 2), (2, 33))
def linear_recurrence(run, n, m):
    a, b = (random(n, m, low=-1).astype(np.float32) for _ in range(2))
    # Every element as the sum of all that comes into it, each with the product of the factors behind it.
    want = [[sum(float(b[s, c]) * math.prod(map(float, a[s + 1:t + 1, c])) for s in range(t + 1)) for c in range(m)]
            for t in range(n)]
    close(run("y", a=a, b=b), np.reshape(want, (n, m)), tolerance=1e-5)


@answers("prefix_sum", *LENGTHS)
def prefix_sum(run, n):
    a = random(n, low=-1)
    close(run("S", a=a), np.cumsum(a))


@answers("fibonacci", (0,), (1,), (2,), (7,), (93,))
def fibonacci(run, n):
    def number(i):  # the sum of the binomial coefficients on a diagonal of Pascal's triangle
        return sum(math.comb(i - 1 - k, k) for k in range((i + 1) // 2))
    equal(run("F", n=n), np.array([number(i) for i in range(n)], dtype=np.int64))


@answers("catalan", (0,), (1,), (2,), (7,), (36,))
def catalan(run, n):
    equal(run("C", n=n), np.array([math.comb(2 * i, i) // (i + 1) for i in range(n)], dtype=np.int64))


@answers("pascal", (0,), (1,), (2,), (7,), (30,))
def pascal(run, n):
    want = [[math.comb(i, j) for j in range(n)] for i in range(n)]
    equal(run("B", n=n), np.array(want, dtype=np.int64).reshape(n, n))


@answers("iir_filter", (60, 3, 3), (0, 1, 1), (1, 2, 3), (13, 1, 1), (2, 7, 7), (20, 5, 2))
def iir_filter(run, n, p, q):
    x, b, a = random(n, low=-1), random(p, low=-1), random(q, low=-0.4, high=0.4)
    a[0] = 1
    close(run("y", x=x, b=b, a=a), scipy.signal.lfilter(b, a, x) if n else x)


@answers("kalman", *LENGTHS)
def kalman(run, n):
    z = random(n, low=0.5, high=1.5)
    x, variance = run("x", "P", z=z)
    # The true values are jointly Gaussian; condition each on all measurements up to its own time.
    drift, noise, error = 0.99, 0.01, 0.1
    transfer = np.array([[drift ** (t - s) if s <= t else 0 for s in range(n + 1)] for t in range(n + 1)])
    prior = transfer @ np.diag([1.0] + [noise] * n) @ transfer.T
    want_x, want_variance = np.zeros(n + 1), np.ones(n + 1)
    for t in range(1, n + 1):
        seen = prior[1:t + 1, 1:t + 1] + error * np.eye(t)
        weights = np.linalg.solve(seen, prior[1:t + 1, t])
        want_x[t] = weights @ z[:t]
        want_variance[t] = prior[t, t] - weights @ prior[1:t + 1, t]
    close(x, want_x)
    close(variance, want_variance)


@answers("rnn", (12, 4, 8, 3), (0, 2, 3, 1), (1, 1, 1, 1), (7, 0, 2, 5), (2, 3, 0, 2), (3, 13, 2, 0))
def rnn(run, steps, inputs, hidden, outputs):
    x, w, u = random(steps, inputs, low=-1), random(hidden, inputs, low=-1), random(hidden, hidden, low=-1)
    bias, o = random(hidden, low=-1), random(outputs, hidden, low=-1)
    states = [np.zeros(hidden)]
    for t in range(steps):
        states.append(np.tanh(w @ x[t] + u @ states[-1] + bias))
    got_h, got_y = run("H", "y", x=x, W=w, U=u, bias=bias, O=o)
    close(got_h, np.array(states))
    close(got_y, np.array(states[1:]).reshape(steps, hidden) @ o.T)


main()
