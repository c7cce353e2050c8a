"""`word-list`: one word or phrase a line, alone or with a score: `WORD;score`, the separator `;`, a tab or `,`.

Lists score on different scales (0 to 60, 1 to 100), so a score becomes its rank within the list: the share of the
list's words with a score no higher, words with the same score sharing the middle of their ranks. For that the file is
read twice, first only to count the scores. A score of 0 or less is the lists' way to say 'never use'. A list without
scores has weight UNSCORED throughout, as have words without a score in a list with scores.

A table with other columns, clues beside answers, say, is turned away: its lines would be words that are none.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from regis import text
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import files
from regis.errors import SourceError

SUFFIXES = (".txt", ".dict", ".csv", ".tsv", ".lst", ".list", ".words", ".wordlist")
SEPARATORS = (";", "\t", ",")
IN_PHRASES = ","  # the one that phrases have, too, some of them before a number
BAR = "|"  # which parts no score from its word, but columns
HEADING = {"clue", "answer"}  # what the first line of a table of clues has, whatever parts its columns
QUOTED = re.compile(r'"[^"]*"')  # one column, whatever separators it holds
SNIFFED = 200  # lines that show the separator: enough to outvote a heading and some odd lines
UNSCORED = 0.5  # the weight of a word that nobody scored: the middle of the ranks that scored words have
NO_SCORE = Reject("score is no number")
NEVER = Reject("score 0 or less")


def read(path: Path) -> Iterator[Entry | Reject]:
    """The words of a list. Lines that begin with `#` are comments. Raises SourceError if it has none, or is a table.

    It is read twice, and SourceError is raised where it has other scores the second time, too.
    """
    beginning = list(itertools.islice(_rows(path), SNIFFED))
    _check_list(path, [line for line in beginning if isinstance(line, str)])
    separator = sniffed(beginning)
    weights = ranked(_scores(path, separator))
    source = files.stem(path)
    for line in _rows(path):
        if isinstance(line, Reject):
            yield line
            continue
        word, written = _parted(line, separator)
        weight = UNSCORED
        if written is not None:
            score = number(written)
            if score is None or score <= 0:
                yield NO_SCORE if score is None else NEVER
                continue
            if score not in weights:
                raise SourceError(f"{path} changed while it was read; try again once it is whole")
            weight = weights[score]
        word = word.rstrip()
        answer = text.answer(word)
        if not text.fits_grid(answer):
            yield files.wrong_length(answer)
            continue
        plain = word == answer or word in (answer.lower(), answer.capitalize())
        yield Entry(answer, "", "" if plain else text.clue(word), source, None, weight)


def _check_list(path: Path, lines: Sequence[str]) -> None:
    """Raises SourceError if the first `lines` have a heading of clues, or most have more than a word and its score.

    Tabs and bars part columns in any file; commas and semicolons, which phrases have, too, in a .csv only.
    """
    is_csv = path.name.lower().removesuffix(".gz").endswith(".csv")
    headed = bool(lines) and set(re.findall("[a-z]+", lines[0].lower())) >= HEADING
    for separator in (*SEPARATORS, BAR) if is_csv else ("\t", BAR):
        rows = [QUOTED.sub("Q", line).rstrip(separator).split(separator) for line in lines]
        if headed or sum(len(row) > 2 or (len(row) == 2 and number(row[1]) is None) for row in rows) > len(lines) / 2:
            raise SourceError(
                f"{path} is a table, not a list of words; it begins with {files.shown(lines[0])!r}; "
                "write one word a line, or WORD;score (phrases with commas into a .txt), or clues into a .tsv with the "
                f"columns pubid year answer clue, parted by tabs; for titles and names, write records={path}"
            )


def sniffed(lines: Iterable[files.Line]) -> str:
    """The separator that some of `lines` have before a number at their end; a comma counts only if most have it.

    '' if there is none such.
    """
    seen = [line for line in lines if isinstance(line, str)]
    for separator in SEPARATORS:
        scored = sum(separator in line and number(line.rpartition(separator)[2]) is not None for line in seen)
        if scored > (len(seen) / 2 if separator == IN_PHRASES else 0):
            return separator
    return ""


def _parted(line: str, separator: str) -> tuple[str, str | None]:
    """A line's word and, if it has one, its score as written.

    In a list that shows no `separator` at its beginning a score counts where it is one: somebody wrote it below.
    """
    if separator:
        word, found, written = line.rpartition(separator)
        return (word, written) if found else (line, None)
    for other in SEPARATORS:
        word, found, written = line.rpartition(other)
        if found and other != IN_PHRASES and number(written) is not None:
            return word, written
    return line, None


def number(written: str) -> float | None:
    """A score; None if it is none. Three digits are enough to rank by, and keep the count of different scores small."""
    try:
        score = float(written)
    except ValueError:
        return None
    if "_" in written:  # 1_000, which only Python takes for a number
        return None
    return float(f"{score:.3g}") if math.isfinite(score) else None


def ranked(scores: Mapping[float, int]) -> dict[float, float]:
    """For each score how high it ranks, in (0, 1], from how many words have it."""
    known = sorted(scores)
    at_most = itertools.accumulate(scores[score] for score in known)
    total = sum(scores.values())
    return {score: (upto - (scores[score] - 1) / 2) / total for score, upto in zip(known, at_most, strict=True)}


def _scores(path: Path, separator: str) -> Counter[float]:
    """How many words have each score above 0."""
    parts = (_parted(line, separator)[1] for line in _rows(path) if isinstance(line, str))
    scores = (number(written) for written in parts if written is not None)
    return Counter(score for score in scores if score is not None and score > 0)


def _rows(path: Path) -> Iterator[files.Line]:
    """The lines of the list that are neither blank nor comments."""
    for line in files.lines(path, SUFFIXES):
        if isinstance(line, Reject) or (line.strip() and not line.startswith("#")):
            yield line if isinstance(line, Reject) else line.strip()
