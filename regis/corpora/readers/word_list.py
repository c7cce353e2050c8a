"""`word-list`: a word or phrase per line, alone or as `WORD;score`, with the separator `;`, a tab or `,`.

Lists score on different scales, so a score becomes its rank in the list: the share of words with no higher score, at
the middle of ties. That takes two readings of the file. A score of 0 or less means "never use". A table with other
columns, such as clues, is refused.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from regis import text
from regis.corpora import entry
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import text_files
from regis.errors import SourceError

LIST_SUFFIXES = (".txt", ".dict", ".csv", ".tsv", ".lst", ".list", ".words", ".wordlist")
SCORE_SEPARATORS = (";", "\t", ",")
PHRASE_SEPARATOR = ","  # phrases may have commas, too, even before a number
COLUMN_BAR = "|"  # separates columns, never a score from its word
CLUE_TABLE_HEADING = {"clue", "answer"}  # the first line of a table of clues has these, whatever the separator
QUOTED_COLUMN = re.compile(r'"[^"]*"')  # one column, which may hold separators
NO_SCORE = Reject("score isn't a number")
SCORE_ZERO = Reject("score 0 or less")


def read(path: Path) -> Iterator[Entry | Reject]:
    """Yield the words of a list; lines that begin with `#` are comments.

    Raises SourceError if it has no word or is a table.
    """
    beginning = list(itertools.islice(_word_lines(path), 200))
    _check_list(path, [line for line in beginning if isinstance(line, str)])
    separator = sniff_separator(beginning)
    weights = rank_scores(_count_scores(path, separator))
    source = text_files.list_name(path)
    for line in _word_lines(path):
        if isinstance(line, Reject):
            yield line
            continue
        word, score_text = _split_score(line, separator)
        weight = 0.5
        if score_text is not None:
            score = parse_score(score_text)
            if score is None or score <= 0:
                yield NO_SCORE if score is None else SCORE_ZERO
                continue
            weight = weights.get(score, weight)  # the file may change between the two readings
        word = word.rstrip()
        answer = text.normalize_answer(word)
        if not text.fits_grid(answer):
            yield entry.reject_length(answer)
            continue
        plain = word == answer or word in (answer.lower(), answer.capitalize())
        yield Entry(answer, "", "" if plain else text.clean_clue(word), source, None, weight)


def _check_list(path: Path, lines: Sequence[str]) -> None:
    """Raise SourceError if the first lines have a heading of clues, or if most have more than a word and its score.

    Tabs and bars separate columns in any file, commas and semicolons only in a .csv.
    """
    is_csv = path.name.lower().removesuffix(".gz").endswith(".csv")
    headed = bool(lines) and set(re.findall("[a-z]+", lines[0].lower())) >= CLUE_TABLE_HEADING
    for separator in (*SCORE_SEPARATORS, COLUMN_BAR) if is_csv else ("\t", COLUMN_BAR):
        rows = [QUOTED_COLUMN.sub("Q", line).rstrip(separator).split(separator) for line in lines]
        odd = sum(len(row) > 2 or (len(row) == 2 and parse_score(row[1]) is None) for row in rows)
        if headed or odd > len(lines) / 2:
            raise SourceError(
                f"{path} is a table, not a list of words; it begins with {text_files.shorten_line(lines[0])!r}; "
                "write one word per line, or WORD;score (phrases with commas into a .txt), or clues into a .tsv with "
                f"the columns pubid year answer clue, separated by tabs; for titles and names, write records={path}"
            )


def sniff_separator(sample_lines: Iterable[text_files.TextLine]) -> str:
    """Find the separator before a number at the end of some lines; '' if none.

    A comma counts only if most lines have one.
    """
    seen = [line for line in sample_lines if isinstance(line, str)]
    for separator in SCORE_SEPARATORS:
        scored = sum(separator in line and parse_score(line.rpartition(separator)[2]) is not None for line in seen)
        if scored > (len(seen) / 2 if separator == PHRASE_SEPARATOR else 0):
            return separator
    return ""


def _split_score(line: str, separator: str) -> tuple[str, str | None]:
    """Split a line into its word and its score as written, if any."""
    word, found, score_text = line.rpartition(separator) if separator else ("", "", "")
    return (word, score_text) if found else (line, None)


def parse_score(score_text: str) -> float | None:
    """Parse a score and round it to three digits, so that few are different; None if it isn't a number."""
    try:
        score = float(score_text)
    except ValueError:
        return None
    return float(f"{score:.3g}") if math.isfinite(score) else None


def rank_scores(score_counts: Mapping[float, int]) -> dict[float, float]:
    """Rank each score in (0, 1], given the number of words that have it."""
    ordered_scores = sorted(score_counts)
    at_most = itertools.accumulate(score_counts[score] for score in ordered_scores)
    total, ranks = sum(score_counts.values()), {}
    for score, upto in zip(ordered_scores, at_most, strict=True):
        ranks[score] = (upto - (score_counts[score] - 1) / 2) / total
    return ranks


def _count_scores(path: Path, separator: str) -> Counter[float]:
    parts = (_split_score(line, separator)[1] for line in _word_lines(path) if isinstance(line, str))
    scores = (parse_score(written) for written in parts if written is not None)
    return Counter(score for score in scores if score is not None and score > 0)


def _word_lines(path: Path) -> Iterator[text_files.TextLine]:
    """Yield the lines that are neither blank nor comments."""
    for line in text_files.read_lines(path, LIST_SUFFIXES):
        if isinstance(line, Reject) or (line.strip() and not line.startswith("#")):
            yield line if isinstance(line, Reject) else line.strip()
