"""Make corpora as large as the real ones from syllables: a title dump and a clue table, to measure builds.

    python benchmarks/generate.py titles OUT --rows 18500000
    python benchmarks/generate.py clues OUT --rows 6400000

The shapes are those of real corpora, rounded: lengths of answers, words per clue and title, Zipf's law for words, and a
fifth of the clue table repeated. The same arguments give the same text. Rows are made ROW_BATCH at a time, so memory
doesn't grow with them. An OUT that ends in .gz is compressed.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import installation  # noqa: F401
import numpy as np
from numpy.typing import NDArray

RANDOM_SEED = 20140101
ROW_BATCH = 100_000

ANSWER_LENGTHS = {3: 17, 4: 32, 5: 24, 6: 11, 7: 6, 8: 4, 9: 2, 10: 1.5, 11: 1, 13: 0.4, 15: 1, 21: 0.1}
CLUE_WORDS = {1: 18, 2: 35, 3: 21, 4: 12, 5: 7, 6: 3, 7: 2, 8: 1, 10: 0.5}
TITLE_WORDS = {1: 16, 2: 40, 3: 22, 4: 11, 5: 5, 6: 3, 7: 2, 9: 0.5}

REPEATED_SHARE = 0.2
"""Share of clue rows that repeat the clue and answer of an earlier row."""

ROWS_PER_ANSWER = 4
"""In 1.24 million real rows, an answer occurs nine times on average; many of the answers made here are the same."""

VOCABULARY_SIZE = 300_000
PUBLISHER_COUNT = 12
FIRST_YEAR = 1976
YEAR_COUNT = 38


class SyllableSource:
    """Words made of syllables, drawn as often as their rank implies."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        onsets = [*"bcdfghjklmnprstvwz", "br", "ch", "cl", "cr", "dr", "fl", "gr", "pl", "sh", "sl", "st", "th", "tr"]
        codas = ["", "", "", "n", "r", "s", "l", "t", "m", "nd", "st"]
        self.syllables = np.array([a + b + c for a in onsets for b in "aeiou" for c in codas], dtype=object)

    def draw_words(self, count: int, syllables: dict[int, float]) -> list[str]:
        """Draw words; `syllables` gives the share of words with each number of syllables."""
        parts = self.draw_sizes(count, syllables)
        flat = self.syllables[self.rng.integers(len(self.syllables), size=int(parts.sum()))].tolist()
        return [*map("".join, split_runs(flat, parts))]

    def draw_answers(self, count: int) -> list[str]:
        """Draw answers of real lengths, in capitals."""
        long = self.draw_words(count, {12: 1})
        return [word[:n].upper() for word, n in zip(long, self.draw_sizes(count, ANSWER_LENGTHS).tolist(), strict=True)]

    def draw_sizes(self, count: int, shares: dict[int, float]) -> NDArray[np.int64]:
        """Draw sizes.

        Parameters
        ----------
        shares : size -> weight.

        Returns
        -------
        (count,) integers.
        """
        weights = np.array([*shares.values()], dtype=float)
        return self.rng.choice(np.array([*shares]), size=count, p=weights / weights.sum())

    def draw_ranks(self, count: int, size: int) -> NDArray[np.int64]:
        """Draw ranks below `size`, the n-th as often as 1/n.

        Returns
        -------
        (count,) integers.
        """
        return (size ** self.rng.random(count)).astype(np.int64) - 1


def split_runs(items: Sequence[str], sizes: NDArray[np.int64]) -> Iterator[Sequence[str]]:
    """Yield `items` in runs of these sizes.

    Parameters
    ----------
    sizes : (runs,) integers, whose sum is the number of items.
    """
    end = 0
    for size in sizes.tolist():
        start, end = end, end + size
        yield items[start:end]


def title_chunks(row_count: int) -> Iterator[str]:
    """Yield a dump of titles, in pieces."""
    make = SyllableSource(np.random.default_rng(RANDOM_SEED))
    words = [word.capitalize() for word in make.draw_words(VOCABULARY_SIZE, {1: 35, 2: 50, 3: 15})]
    yield "page_title\n"
    for start in range(0, row_count, ROW_BATCH):
        count = min(ROW_BATCH, row_count - start)
        sizes = make.draw_sizes(count, TITLE_WORDS)
        ranks = make.draw_ranks(int(sizes.sum()), VOCABULARY_SIZE)
        rare = make.rng.random(len(ranks)) < 0.5  # names are more even than words
        ranks[rare] = make.rng.integers(VOCABULARY_SIZE, size=int(rare.sum()))
        made = [*map("_".join, split_runs([words[i] for i in ranks.tolist()], sizes))]
        kind = make.rng.random(count)
        for i in np.flatnonzero(kind < 0.25).tolist():
            made[i] = decorate_title(made[i], kind[i], words[i])
        yield "\n".join(made) + "\n"


def decorate_title(title: str, kind: float, word: str) -> str:
    """Add brackets, commas, accents, or digits, or make a list, as in a quarter of the titles."""
    if kind < 0.10:
        return f"{title}_({word.lower()})"
    if kind < 0.15:
        return f"{title},_{word}"
    if kind < 0.20:
        return title.replace("e", "é").replace("o", "ö")
    return f"{title}_{1900 + int(kind * 400)}" if kind < 0.235 else f"List_of_{title}"


def clue_chunks(row_count: int) -> Iterator[str]:
    """Yield a clue table, in pieces, sorted by year."""
    make = SyllableSource(np.random.default_rng(RANDOM_SEED))
    words = make.draw_words(VOCABULARY_SIZE // 3, {1: 40, 2: 40, 3: 20})
    answers = make.draw_answers(max(100, row_count // ROWS_PER_ANSWER))
    before: list[str] = []
    yield "pubid\tyear\tanswer\tclue"
    for start in range(0, row_count, ROW_BATCH):
        count = min(ROW_BATCH, row_count - start)
        sizes = make.draw_sizes(count, CLUE_WORDS)
        drawn_words = [words[i] for i in make.draw_ranks(int(sizes.sum()), len(words)).tolist()]
        texts = map(" ".join, split_runs(drawn_words, sizes))
        asked = make.rng.permutation(np.append(make.draw_ranks(count // 2, len(answers)),
                                               make.rng.integers(len(answers), size=count - count // 2)))  # fmt: skip
        pairs = [f"{answers[i]}\t{text.capitalize()}" for i, text in zip(asked.tolist(), texts, strict=True)]
        pool = before or pairs
        again = np.flatnonzero(make.rng.random(count) < REPEATED_SHARE).tolist()
        for i, j in zip(again, make.rng.integers(len(pool), size=len(again)).tolist(), strict=True):
            pairs[i] = pool[j]
        before = pairs
        publishers = make.draw_ranks(count, PUBLISHER_COUNT).tolist()
        year = FIRST_YEAR + start * YEAR_COUNT // row_count
        yield "".join(f"\np{who}\t{year}\t{pair}" for who, pair in zip(publishers, pairs, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a large corpus out of syllables.")
    parser.add_argument("kind", choices=("titles", "clues"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, help="default: 18.5 million titles, 6.4 million clues")
    arguments = parser.parse_args()
    out: Path = arguments.out
    make, default_rows = (title_chunks, 18_500_000) if arguments.kind == "titles" else (clue_chunks, 6_400_000)
    with gzip.open(out, "wb", compresslevel=1) if out.suffix == ".gz" else out.open("wb") as file:
        for piece in make(arguments.rows or default_rows):
            file.write(piece.encode())


if __name__ == "__main__":
    main()
