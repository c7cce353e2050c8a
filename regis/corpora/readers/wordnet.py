"""`wordnet`: the words of WordNet and what they have to do with each other (wndb(5WN), wninput(5WN), morphy(7WN)).

The folder with its files, or a .tar.gz or .zip of it. Each of `index.noun`, `index.verb`, `index.adj` and `index.adv`
has one lemma a line, lower case, `_` for a space. `data.*` has one synset a line: its words, pointers to other synsets,
and the gloss behind a `|`. `*.exc` has irregular forms, `gave give`. The lines of the licence begin with two blanks.
Without `data.*` there are words but no relations.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from regis.corpora import inflection
from regis.corpora.entry import Entry, Reject, Relation
from regis.corpora.readers import files
from regis.errors import SourceError

PARTS = ("noun", "verb", "adj", "adv")
NAMES = tuple(f"index.{part}" for part in PARTS)
WANTED = (*NAMES, *(f"data.{part}" for part in PARTS), *(f"{part}.exc" for part in PARTS[:3]))
SOURCE, WEIGHT = "wordnet", 0.5
MALFORMED = Reject("malformed synset")
KIND = {"!": "antonym", "@": "class", "@i": "class", "~": "kind", "~i": "kind"}  # other pointers lead to relatives
PART = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
MOST = 10_000
"""Relations that one synset may have, since a short line can be written so that it has millions; WordNet's largest,
that of the United Kingdom, has 4,322."""

MOST_FORMS = 20  # irregular forms of one word, for the same reason; WordNet has 7 of 'chivy'

Irregular = dict[tuple[str, str], list[tuple[str, str]]]  # (part of speech, lemma) -> (ending, form)


class Synset(NamedTuple):
    words: list[str]
    pointers: list[tuple[str, str, int, int]]  # (symbol, key of the other synset, source and target word, 0 for all)
    gloss: str


def read(path: Path) -> Iterator[Entry | Relation | Reject]:
    """The lemmas and relations of WordNet at `path`. Raises SourceError if none of the index files is there."""
    found = False
    synsets: dict[str, Synset] = {}
    lemmas: dict[str, list[str]] = {part: [] for part in PARTS}
    irregular: Irregular = defaultdict(list)
    for name, lines in _texts(path):
        what, _, part = name.partition(".")
        found |= what == "index"
        for line in lines:
            if isinstance(line, Reject):
                yield line
            elif not line.strip() or line.startswith("  "):
                continue
            elif what == "index":
                lemma = line.partition(" ")[0].replace("_", " ")
                lemmas[part].append(lemma)
                yield files.listed(lemma, SOURCE, WEIGHT)
            elif what == "data":
                try:
                    synsets[part + line[:8]] = _synset(line)
                except (ValueError, IndexError, KeyError):
                    yield MALFORMED
            else:
                form, *of = (word.replace("_", " ") for word in line.split())
                for forms in (irregular[what, lemma] for lemma in of):
                    forms += [(inflection.ending(form, what), form)] * (len(forms) < MOST_FORMS)
    if not found:
        raise SourceError(f"{path} holds none of {', '.join(NAMES)}; name the folder with WordNet's database files")
    if synsets:
        yield from _forms(lemmas, irregular)
        for synset in synsets.values():
            yield from itertools.islice(_relations(synset, synsets), MOST)


def _texts(path: Path) -> Iterator[files.Text]:
    """The files of WordNet in a folder or an archive, under their bare names."""
    if path.is_dir():
        yield from (files.Text(name, files.lines(path / name, ())) for name in WANTED if (path / name).is_file())
        return
    for member in files.texts(path, WANTED):
        if (name := member.name.rpartition("/")[2]) in WANTED:
            yield files.Text(name, member.lines)


def _synset(line: str) -> Synset:
    """One line of a data file; raises ValueError, IndexError or KeyError where it is none."""
    synset, _, gloss = line.partition(" | ")
    fields = synset.split()
    end = 4 + 2 * int(fields[3], 16)
    words = [word.partition("(")[0].replace("_", " ") for word in fields[4:end:2]]
    after = end + 1 + 4 * int(fields[end])
    symbols, offsets, parts, ends = (fields[i:after:4] for i in range(end + 1, end + 5))
    each = zip(symbols, offsets, parts, ends, strict=True)
    pointers = [(s, PART[p] + o, int(e[:2], 16), int(e[2:], 16)) for s, o, p, e in each]
    return Synset(words, pointers, gloss.partition('; "')[0].strip())


def _forms(lemmas: Mapping[str, Sequence[str]], irregular: Irregular) -> Iterator[Relation]:
    """Every lemma (by part of speech) with each of its endings; an irregular form takes the place of the regular."""
    for part, words in lemmas.items():
        for lemma in words:
            known = irregular.get((part, lemma), [])
            if " " in lemma and part == "verb" and not known:  # 'gave up' as 'gave'
                first, rest = lemma.split(" ", 1)
                known = [(ending, f"{form} {rest}") for ending, form in irregular.get((part, first), [])]
            if " " in lemma and part == "noun" and not known:  # 'wisdom teeth' as 'teeth'
                rest, last = lemma.rsplit(" ", 1)
                known = [(ending, f"{rest} {form}") for ending, form in irregular.get((part, last), [])]
            regular = inflection.forms(lemma, part) if lemma.islower() else []
            for ending, form in known + [one for one in regular if one[0] not in dict(known)]:
                yield Relation(lemma, form, ending, SOURCE)


def _relations(synset: Synset, synsets: Mapping[str, Synset]) -> Iterator[Relation]:
    """What the synset says of its own words and of those that its pointers lead to."""
    for head, word in itertools.permutations(synset.words, 2):
        yield Relation(head, word, "synonym", SOURCE)
    for symbol, key, source, target in synset.pointers:
        other = synsets.get(key)
        if other is None:
            continue
        heads = synset.words[source - 1 : source] if source else synset.words
        words = other.words[target - 1 : target] if target else other.words
        for head, word in itertools.product(heads, words):
            yield Relation(head, word, KIND.get(symbol, "relative"), SOURCE)
    for word in synset.words:
        yield Relation(synset.gloss, word, "gloss", SOURCE)
