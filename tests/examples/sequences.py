# SPDX-License-Identifier: MIT
"""Dynamic programs over sequences, compared with published values and with answers found another way."""
import functools
import itertools

import numpy as np

from cyclotron_runner import answers, close, equal, letters, main, random

SIZES = [(12, 9), (0, 0), (0, 3), (4, 0), (1, 1), (2, 7), (13, 2), (30, 33)]


def codes(text):
    return np.array([ord(c) for c in text], dtype=np.int32)


def related(m, n):
    """Two sequences that have much in common, so that alignments are not trivial."""
    a = letters(max(m, n))
    b = np.where(random(max(m, n)) < 0.3, letters(max(m, n)), a).astype(np.int32)
    return a[:m], np.roll(b, 1)[:n]


def from_the_front(a, b, empty, pair, skip_a, skip_b, best):
    """The best total over all ways to consume both sequences from the front, letter pair by pair or with skips."""
    @functools.lru_cache(None)
    def rest(i, j):
        ways = []
        if i < len(a) and j < len(b):
            ways.append(pair(a[i], b[j]) + rest(i + 1, j + 1))
        if i < len(a):
            ways.append(skip_a + rest(i + 1, j))
        if j < len(b):
            ways.append(skip_b + rest(i, j + 1))
        return best(ways) if ways else empty
    return rest(0, 0)


def needleman_wunsch_score(a, b):
    return from_the_front(a, b, 0, lambda x, y: 1 if x == y else -1, -1, -1, max)


@answers("needleman_wunsch", *SIZES)
def needleman_wunsch(run, m, n):
    a, b = related(m, n)
    equal(run("score", a=a, b=b), needleman_wunsch_score(tuple(a), tuple(b)))


@answers("needleman_wunsch", ("GATTACA", "GCATGCU", 0))
def needleman_wunsch_known(run, a, b, score):
    table, got = run("H", "score", a=codes(a), b=codes(b))
    equal(got, score)
    equal(table, [[needleman_wunsch_score(a[:i], b[:j]) for j in range(8)] for i in range(8)])


@answers("smith_waterman", *SIZES)
def smith_waterman(run, m, n):
    a, b = related(m, n)
    if m + n > 20:  # the answer below tries all pairs of substrings
        a, b = a[:8], b[:8]
    substrings = [[tuple(s[i:j]) for i in range(len(s) + 1) for j in range(i, len(s) + 1)] for s in (a, b)]
    want = max(from_the_front(s, t, 0, lambda x, y: 3 if x == y else -3, -2, -2, max)
               for s in set(substrings[0]) for t in set(substrings[1]))
    equal(run("score", a=a, b=b), want)


@answers("smith_waterman", ("TGTTACGG", "GGTTGACTA", 13))
def smith_waterman_known(run, a, b, score):
    equal(run("score", a=codes(a), b=codes(b)), score)


@answers("smith_waterman_affine", *SIZES)
def smith_waterman_affine(run, m, n):
    a, b = related(m, n)
    # A gap of any length at once, as Waterman, Smith and Beyer have it.
    want = np.zeros((m + 1, n + 1), dtype=np.int32)
    for i, j in itertools.product(range(1, m + 1), range(1, n + 1)):
        gaps = [want[i, j - k] - 8 - k for k in range(1, j + 1)] + [want[i - k, j] - 8 - k for k in range(1, i + 1)]
        want[i, j] = max(0, want[i - 1, j - 1] + (5 if a[i - 1] == b[j - 1] else -3), *gaps)
    h, score = run("H", "score", a=a, b=b)
    equal(h, want)
    equal(score, want.max())


@answers("gotoh", *SIZES)
def gotoh(run, m, n):
    a, b = related(m, n)
    h, e, f, score = run("H", "E", "F", "score", a=a, b=b)
    # A gap of any length at once, as Waterman, Smith and Beyer have it.
    want, gap_in_a, gap_in_b = (np.zeros((m + 1, n + 1), dtype=np.int32) for _ in range(3))
    for i, j in itertools.product(range(m + 1), range(n + 1)):
        across = [want[i, j - k] - 5 - 2 * k for k in range(1, j + 1)]
        down = [want[i - k, j] - 5 - 2 * k for k in range(1, i + 1)]
        both = [want[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -3)] if i and j else []
        want[i, j] = max(across + down + both, default=0)
        if i and j:
            gap_in_a[i, j], gap_in_b[i, j] = max(across), max(down)
    equal(h, want)
    equal(e, gap_in_a)
    equal(f, gap_in_b)
    equal(score, want[m, n])


@answers("lcs", *SIZES)
def lcs(run, m, n):
    a, b = related(m, n)
    equal(run("length", a=a, b=b), from_the_front(tuple(a), tuple(b), 0, lambda x, y: int(x == y), 0, 0, max))


@answers("lcs", ("XMJYAUZ", "MZJAWXU", 4))
def lcs_known(run, a, b, length):
    equal(run("length", a=codes(a), b=codes(b)), length)


@answers("edit_distance", *SIZES)
def edit_distance(run, m, n):
    a, b = related(m, n)
    equal(run("distance", a=a, b=b), from_the_front(tuple(a), tuple(b), 0, lambda x, y: int(x != y), 1, 1, min))


@answers("edit_distance", ("KITTEN", "SITTING", 3), ("SUNDAY", "SATURDAY", 3), ("INTENTION", "EXECUTION", 5))
def edit_distance_known(run, a, b, distance):
    equal(run("distance", a=codes(a), b=codes(b)), distance)


@answers("dynamic_time_warping", *SIZES)
def dynamic_time_warping(run, m, n):
    x, y = random(m), random(n)

    @functools.lru_cache(None)
    def rest(i, j):  # the cheapest way from the pair (i, j) to the last pair
        if i >= m or j >= n:
            return np.inf
        further = min(rest(i + 1, j), rest(i, j + 1), rest(i + 1, j + 1))
        return abs(x[i] - y[j]) + (0 if (i, j) == (m - 1, n - 1) else further)
    close(run("distance", x=x, y=y), rest(0, 0) if m and n else 0 if m == n else np.inf)


@answers("nussinov", (1,), (2,), (5,), (7,), (13,), (25,), ("GGAAACU",), ("GCAAAAGCGGCAAAGCU",))
def nussinov(run, sequence):
    s = letters(sequence) if isinstance(sequence, int) else np.array(["ACGU".index(c) for c in sequence], np.int32)
    n = len(s)

    @functools.lru_cache(None)
    def best(i, j):  # letter i stays alone, or pairs with some k
        if j - i < 4:
            return 0
        partners = [k for k in range(i + 4, j + 1) if {s[i], s[k]} in ({0, 3}, {1, 2}, {2, 3})]
        return max([best(i + 1, j)] + [1 + best(i + 1, k - 1) + best(k + 1, j) for k in partners])
    table, pairs = run("N", "pairs", s=s)
    equal(pairs, best(0, n - 1))
    equal(table, np.array([[best(i, j) for j in range(n)] for i in range(n)]))


@answers("cyk", ("()",), (")(",), ("(",), ("(())",), ("(()())()",), ("(()))(",), ("()()()()(())",))
def cyk_brackets(run, sentence):
    depths = list(itertools.accumulate(1 if c == "(" else -1 for c in sentence))
    words = np.array(["()".index(c) for c in sentence], np.int32)
    equal(run("accepted", words=words), min(depths) >= 0 and depths[-1] == 0)


@answers("cyk", (1, 1), (1, 3), (2, 4), (3, 5), (4, 6))
def cyk_any_grammar(run, symbols, n):
    binary, terminal = random(symbols, symbols, symbols) < 0.3, random(symbols, 2) < 0.5
    languages = [{(v,) for v in range(2) if terminal[a, v]} for a in range(symbols)]
    while True:  # all sentences of at most n words, until none is new
        larger = [set(language) for language in languages]
        for a, b, c in np.argwhere(binary):
            larger[a] |= {s + t for s in languages[b] for t in languages[c] if len(s + t) <= n}
        if larger == languages:
            break
        languages = larger
    for _ in range(4):
        words = letters(n, alphabet=2)
        equal(run("accepted", words=words, binary=binary, terminal=terminal), tuple(words) in languages[0])


@answers("matrix_chain", (1,), (2,), (3,), (7,))
def matrix_chain(run, n):
    p = letters(n + 1, alphabet=40).astype(np.int64) + 1

    def costs(shapes):  # of every order of multiplying neighbours
        if len(shapes) == 1:
            yield 0
        for i in range(len(shapes) - 1):
            (rows, inner), (_, columns) = shapes[i:i + 2]
            for cost in costs(shapes[:i] + [(rows, columns)] + shapes[i + 2:]):
                yield cost + rows * inner * columns
    equal(run("cost", p=p), min(costs(list(zip(p[:-1].tolist(), p[1:].tolist())))))


@answers("matrix_chain", ("textbook",))
def matrix_chain_known(run, _):
    equal(run("cost", p=np.array([30, 35, 15, 5, 10, 20, 25])), 15125)  # Cormen et al., section 15.2


main()
