# SPDX-License-Identifier: MIT
"""Tensor index notation and convolutions, compared with NumPy's einsum and SciPy's signal processing."""
import numpy as np
import scipy.signal
import scipy.sparse

from cyclotron_runner import Failure, answers, close, main, random, sparse

MATRIX = [(9, 13), (0, 3), (3, 0), (1, 1), (2, 7), (13, 2)]
TENSOR = [(5, 6, 7), (0, 2, 3), (2, 0, 3), (2, 3, 0), (1, 1, 1), (7, 2, 13)]


@answers("spmv", *MATRIX)
def spmv(run, m, n):
    b, c = sparse(m, n), random(n)
    close(run("x", B=b, c=c), b @ c)


@answers("spmv", ("Matrix Market",))
def spmv_file(run, _):
    b, c = sparse(9, 13), random(13)
    close(run("x", B=scipy.sparse.coo_matrix(b), c=c), b @ c)


@answers("spgemm", (9, 7, 13), (0, 2, 3), (2, 0, 3), (2, 3, 0), (1, 1, 1), (13, 2, 7))
def spgemm(run, m, p, n):
    b, c = sparse(m, p), sparse(p, n)
    close(run("X", B=b, C=c), (scipy.sparse.csr_matrix(b) @ scipy.sparse.csr_matrix(c)).toarray() if m * n else b @ c)


@answers("sddmm", *[(m, n, p) for m, n in MATRIX for p in (1, 5)], (4, 3, 0))
def sddmm(run, m, n, p):
    b, c, d = sparse(m, n), random(m, p), random(n, p)
    close(run("X", B=b, C=c, D=d), b * (c @ d.T))


@answers("ttv", *TENSOR)
def ttv(run, *shape):
    b, c = sparse(*shape), random(shape[2])
    close(run("X", B=b, c=c), np.tensordot(b, c, axes=1))


@answers("ttm", *[(*shape, p) for shape in TENSOR for p in (1, 3)])
def ttm(run, m, n, q, p):
    b, c = sparse(m, n, q), random(p, q)
    close(run("X", B=b, C=c), np.tensordot(b, c.T, axes=1))


@answers("mttkrp", *[(*shape, r) for shape in TENSOR for r in (1, 3)])
def mttkrp(run, m, n, p, r):
    b, c, d = sparse(m, n, p), random(r, n), random(r, p)
    close(run("X", B=b, C=c, D=d), np.einsum("ikl,jk,jl->ij", b, c, d))


@answers("innerprod", *TENSOR)
def innerprod(run, *shape):
    b, c = sparse(*shape, density=0.6), sparse(*shape, density=0.6)
    close(run("chi", B=b, C=c), np.dot(b.ravel(), c.ravel()))


@answers("residual", *MATRIX)
def residual(run, m, n):
    c, b, d = sparse(m, n), random(m), random(n)
    close(run("x", C=c, b=b, d=d), b - c @ d)


@answers("mattransmul", *[(m, n, alpha, beta) for m, n in MATRIX for alpha, beta in ((1.5, -0.25), (0.0, 1.0))])
def mattransmul(run, m, n, alpha, beta):
    b, c, d = sparse(m, n), random(m), random(n)
    close(run("x", alpha=np.array(alpha), beta=beta, B=b, c=c, d=d), alpha * (b.T @ c) + beta * d)


@answers("mmadd", *MATRIX)
def mmadd(run, m, n):
    b, c = sparse(m, n), sparse(m, n)
    close(run("X", B=b, C=c), b + c)


@answers("plus3", *MATRIX)
def plus3(run, m, n):
    b, c, d = sparse(m, n), sparse(m, n), sparse(m, n)
    close(run("X", B=b, C=c, D=d), b + c + d)


@answers("plus2", *TENSOR)
def plus2(run, *shape):
    b, c = sparse(*shape), sparse(*shape)
    close(run("X", B=b, C=c), b + c)


@answers("conv1d", (40, 3), (1, 1), (7, 7), (13, 2), (5, 1))
def conv1d(run, n, r):
    x, w = random(n), random(r, low=-1)
    close(run("z", x=x, w=w), np.correlate(x, w, mode="valid"))


@answers("conv1d", (3, 4))
def conv1d_refuses(run, n, r):
    try:
        run("z", x=random(n), w=random(r))
    except Failure:
        return
    raise Failure("`assume 1 <= r <= n` was not checked")


@answers("conv1d_stride2", (16, 3), (1, 1), (1, 4), (7, 2), (5, 5))
def conv1d_stride2(run, m, r):
    x, w = random(2 * m + r - 2), random(r, low=-1)
    close(run("z", x=x, w=w), np.lib.stride_tricks.sliding_window_view(x, r)[::2] @ w)


def convolution(run, m, r, stride):
    x, w = random(stride * (m - 1) + r), random(r, low=-1)
    expected = np.lib.stride_tricks.sliding_window_view(x, r)[::stride] @ w
    close(run("z", x=x, w=w), expected)
    close(run("z", options=("--target=array", "--schedule", "array"), x=x, w=w), expected)


SHAPES = ((16, 3), (1, 1), (1, 4), (7, 2), (5, 5), (2, 7))


@answers("conv1d_sbm", *SHAPES)
@answers("conv1d_bsm", *SHAPES)
@answers("conv1d_fsm", *SHAPES)
@answers("conv1d_bfs", *SHAPES)
@answers("conv1d_ffs", *SHAPES)
@answers("conv1d_fbs", *SHAPES)
def conv1d_design(run, m, r):
    convolution(run, m, r, 1)


@answers("conv1d_fbs_stride2", *SHAPES)
def conv1d_design_stride2(run, m, r):
    convolution(run, m, r, 2)


@answers("conv2d", (20, 16, 3, 3), (1, 1, 1, 1), (2, 7, 2, 3), (7, 5, 1, 5), (4, 13, 4, 2))
def conv2d(run, m, n, a, b):
    x, w = random(m, n), random(a, b, low=-1)
    close(run("z", x=x, w=w), scipy.signal.correlate2d(x, w, mode="valid"))


@answers("conv2d_sbm", (6, 4, 3, 3), (1, 1, 1, 1), (2, 7, 2, 3), (7, 5, 1, 4), (4, 3, 4, 1))
@answers("conv2d_fbs", (6, 4, 3, 3), (1, 1, 1, 1), (2, 7, 2, 3), (7, 5, 1, 4), (4, 3, 4, 1))
def conv2d_design(run, m, n, a, b):
    x, w = random(m + a - 1, n + b - 1), random(a, b, low=-1)
    expected = scipy.signal.correlate2d(x, w, mode="valid")
    close(run("z", m=m, n=n, x=x, w=w), expected)
    close(run("z", options=("--target=simd", "--schedule", "lanes"), m=m, n=n, x=x, w=w), expected)


@answers("conv2d_stride2", (8, 10, 2, 2), (1, 1, 1, 1), (2, 7, 3, 1), (3, 2, 5, 4))
def conv2d_stride2(run, m, n, a, b):
    x, w = random(2 * m + a - 2, 2 * n + b - 2), random(a, b, low=-1)
    close(run("z", x=x, w=w), scipy.signal.correlate2d(x, w, mode="valid")[::2, ::2])


main()
