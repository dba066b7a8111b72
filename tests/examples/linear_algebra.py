# SPDX-License-Identifier: MIT
"""Solvers and factorizations, compared with LAPACK by way of SciPy."""
import numpy as np
import scipy.linalg
import scipy.sparse

from cyclotron_runner import Failure, answers, close, lower_triangular, main, positive_definite, random

SQUARE = [(0,), (1,), (2,), (7,), (13,)]


def tiles(matrix, rows, columns):
    """The matrix as a tensor of tiles: (i, j) is its tile of that many rows and columns in block row i, column j."""
    m, n = matrix.shape
    return matrix.reshape(m // rows, rows, n // columns, columns).swapaxes(1, 2).copy()


def untiled(tensor):
    m, n, rows, columns = tensor.shape
    return tensor.swapaxes(1, 2).reshape(m * rows, n * columns)


@answers("matmul", (16, 12, 20), (1, 1, 1), (0, 3, 2), (3, 0, 2), (2, 3, 0), (7, 13, 2))
def matmul(run, m, p, n):
    a, b = random(m, p), random(p, n)
    close(run("C", A=a, B=b), a @ b)


@answers("triangular_solve", *SQUARE, (40,))
def triangular_solve(run, n):
    l, b = lower_triangular(n, density=0.2), random(n)
    close(run("x", L=l, b=b), scipy.linalg.solve_triangular(l, b, lower=True) if n else b)


@answers("triangular_solve", ("upper part is not read",), ("Matrix Market",))
def triangular_solve_input(run, what):
    l, b = lower_triangular(9, density=0.5), random(9)
    given = l + np.triu(random(9, 9), 1) if "upper" in what else scipy.sparse.coo_matrix(l)
    close(run("x", L=given, b=b), scipy.linalg.solve_triangular(l, b, lower=True))


@answers("triangular_solve_many", (24, 16), (1, 1), (0, 3), (3, 0), (2, 7), (13, 2))
def triangular_solve_many(run, n, m):
    l, b = lower_triangular(n), random(n, m)
    close(run("X", L=l, B=b), scipy.linalg.solve_triangular(l, b, lower=True) if n * m else b)


@answers("triangular_solve_fused", *SQUARE, (40,))
def triangular_solve_fused(run, n):
    l, b, d = lower_triangular(n, density=0.2), random(n), random(n)
    x, y = run("x", "y", L=l, b=b, d=d)
    both = scipy.linalg.solve_triangular(l, np.stack([b, d], axis=1), lower=True) if n else np.zeros((0, 2))
    close(x, both[:, 0])
    close(y, both[:, 1])


@answers("cholesky", *SQUARE, (30,))
def cholesky(run, n):
    a = positive_definite(n, density=0.15)
    close(run("L", A=a), scipy.linalg.cholesky(a, lower=True) if n else a)


@answers("cholesky", ("Matrix Market",))
def cholesky_file(run, _):
    a = positive_definite(12, density=0.2)
    close(run("L", A=scipy.sparse.coo_matrix(a)), scipy.linalg.cholesky(a, lower=True))


@answers("lu", *SQUARE, (24,))
def lu(run, n):
    a = random(n, n, low=-1) + 2 * n * np.eye(n)  # dominant columns: partial pivoting keeps the rows in place
    l, u = run("L", "U", A=a)
    p, want_l, want_u = scipy.linalg.lu(a) if n else (a, a, a)
    assert np.array_equal(p, np.eye(n))
    close(l, want_l)
    close(u, want_u)


@answers("qr", (20, 12), (0, 0), (1, 0), (1, 1), (2, 1), (7, 7), (13, 2))
def qr(run, m, n):
    a = random(m, n, low=-1)
    q, r = run("Q", "R", A=a)
    want_q, want_r = np.linalg.qr(a)
    signs = np.where(np.diag(want_r) < 0, -1.0, 1.0)  # Gram-Schmidt makes the diagonal of R positive
    close(q, want_q * signs)
    close(r, signs[:, None] * want_r)


@answers("qr", ("more columns than rows",))
def qr_refuses(run, _):
    try:
        run("Q", A=random(2, 3))
    except Failure:
        return
    raise Failure("`assume n <= m` was not checked")


@answers("tridiagonal", *SQUARE, (30,))
def tridiagonal(run, n):
    a, b, c, d = random(n), random(n, low=3, high=4), random(n), random(n)
    bands = np.zeros((3, n))
    bands[0, 1:], bands[1], bands[2, :-1] = c[:-1], b, a[1:]
    close(run("x", a=a, b=b, c=c, d=d), scipy.linalg.solve_banded((1, 1), bands, d) if n else d)


@answers("conjugate_gradient", (12, 0), (12, 1), (12, 3), (1, 1), (2, 2), (7, 5))
def conjugate_gradient(run, n, steps):
    a, b = positive_definite(n, density=0.3), random(n)
    # The step t minimizes the energy norm of the error over the Krylov space of b, A b, ..., A^(t-1) b.
    krylov = np.stack([np.linalg.matrix_power(a, t) @ b for t in range(steps)] + [np.zeros(n)], axis=1)[:, :steps]
    basis, _ = np.linalg.qr(krylov)
    want = basis @ np.linalg.solve(basis.T @ a @ basis, basis.T @ b)
    x, r = run("x", "r", A=a, b=b, T=steps)
    close(x, want, tolerance=1e-8)
    close(r + a @ want, b, tolerance=1e-8)


@answers("tiled_matmul", (3, 2, 4, 4), (1, 1, 1, 1), (2, 0, 3, 2), (0, 2, 1, 3), (2, 3, 1, 5))
def tiled_matmul(run, m, p, n, b):
    x, y = random(m * b, p * b), random(p * b, n * b)
    close(untiled(run("C", A=tiles(x, b, b), B=tiles(y, b, b))), x @ y)


@answers("tiled_cholesky", (6, 4), (0, 4), (1, 1), (1, 7), (7, 1), (3, 2))
def tiled_cholesky(run, t, b):
    a = positive_definite(t * b)
    got = untiled(run("L", A=tiles(a, b, b)))
    close(got, scipy.linalg.cholesky(a, lower=True) if t * b else a)


@answers("tiled_lu", (6, 4), (0, 4), (1, 1), (1, 7), (7, 1), (3, 2))
def tiled_lu(run, t, b):
    n = t * b
    a = random(n, n, low=-1) + 2 * n * np.eye(n)
    got = untiled(run("X", A=tiles(a, b, b)))
    p, l, u = scipy.linalg.lu(a) if n else (a, a, a)
    assert np.array_equal(p, np.eye(n))
    close(got, l - np.eye(n) + u)


@answers("tiled_triangular_solve", (6, 4, 6), (0, 4, 2), (1, 1, 1), (1, 7, 2), (7, 1, 3), (3, 2, 0))
def tiled_triangular_solve(run, t, b, m):
    l, rhs = lower_triangular(t * b), random(t * b, m)
    got = run("X", L=tiles(l, b, b), B=rhs.reshape(t, b, m))
    want = scipy.linalg.solve_triangular(l, rhs, lower=True) if rhs.size else rhs
    close(got, want.reshape(t, b, m))


main()
