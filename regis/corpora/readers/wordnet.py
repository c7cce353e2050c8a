"""`wordnet`: the words of WordNet and their relations (wndb(5WN), wninput(5WN), morphy(7WN)).

WordNet is a folder, or a .tar.gz or .zip of it. A line of `index.*` has a lowercase lemma, with `_` for a space. A line
of `data.*` has a synset: words, pointers to other synsets, and the gloss after `|`. A line of `*.exc` has irregular
forms, `gave give`. License lines begin with two spaces. Without `data.*` there are no relations.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from regis.corpora import entry, inflection
from regis.corpora.entry import Entry, Reject, Relation
from regis.corpora.readers import text_files
from regis.errors import SourceError

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
INDEX_FILES = tuple(f"index.{part}" for part in PARTS_OF_SPEECH)
DATA_FILES = tuple(f"data.{part}" for part in PARTS_OF_SPEECH)
WORDNET_FILES = (*INDEX_FILES, *DATA_FILES, *(f"{part}.exc" for part in PARTS_OF_SPEECH[:3]))
WORDNET_SOURCE = "wordnet"
MALFORMED_SYNSET = Reject("malformed synset")
# other pointers lead to relatives
KIND_BY_SYMBOL = {"!": "antonym", "@": "class", "@i": "class", "~": "kind", "~i": "kind"}
PART_BY_LETTER = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}


IrregularForms = dict[tuple[str, str], list[tuple[str, str]]]  # (part of speech, lemma) -> (ending, form)


class Synset(NamedTuple):
    """One line of a data file."""

    words: list[str]
    pointers: list[tuple[str, str, int, int]]  # (symbol, key of the other synset, source and target word, 0 for all)
    gloss: str


def read(path: Path) -> Iterator[Entry | Relation | Reject]:
    """Yield the lemmas and relations of WordNet at `path`; raises SourceError if all index files are missing."""
    has_index = False
    synsets: dict[str, Synset] = {}
    lemmas: dict[str, list[str]] = {part: [] for part in PARTS_OF_SPEECH}
    irregular: IrregularForms = defaultdict(list)
    for name, lines in _read_texts(path):
        file_kind, _, part_of_speech = name.partition(".")
        has_index |= file_kind == "index"
        for line in lines:
            if isinstance(line, Reject):
                yield line
            elif not line.strip() or line.startswith("  "):
                continue
            elif file_kind == "index":
                lemma = line.partition(" ")[0].replace("_", " ")
                lemmas[part_of_speech].append(lemma)
                yield entry.list_entry(lemma, WORDNET_SOURCE, 0.5)
            elif file_kind == "data":
                try:
                    synsets[part_of_speech + line[:8]] = _parse_synset(line)
                except (ValueError, IndexError, KeyError):
                    yield MALFORMED_SYNSET
            else:
                form, *of = (word.replace("_", " ") for word in line.split())
                for forms in (irregular[file_kind, lemma] for lemma in of):
                    forms += [(inflection.irregular_ending(form, file_kind), form)] * (len(forms) < 20)
    if not has_index:
        names = ", ".join(INDEX_FILES)
        raise SourceError(f"{path} contains none of {names}; name the folder with WordNet's database files")
    if synsets:
        yield from _inflect_lemmas(lemmas, irregular)
        for synset in synsets.values():
            yield from itertools.islice(_synset_relations(synset, synsets), 10_000)


def _read_texts(path: Path) -> Iterator[text_files.TextMember]:
    """Yield the files of WordNet in a folder or an archive, by name without folders."""
    if path.is_dir():
        names = (name for name in WORDNET_FILES if (path / name).is_file())
        yield from (text_files.TextMember(name, text_files.read_lines(path / name, ())) for name in names)
        return
    for member in text_files.read_texts(path, WORDNET_FILES):
        if (name := member.name.rpartition("/")[2]) in WORDNET_FILES:
            yield text_files.TextMember(name, member.lines)


def _parse_synset(line: str) -> Synset:
    """Parse one line of a data file; raises ValueError, IndexError, or KeyError."""
    synset, _, gloss = line.partition(" | ")
    fields = synset.split()
    end = 4 + 2 * int(fields[3], 16)
    words = [word.partition("(")[0].replace("_", " ") for word in fields[4:end:2]]
    after = end + 1 + 4 * int(fields[end])
    symbols, offsets, parts, ends = (fields[i:after:4] for i in range(end + 1, end + 5))
    each = zip(symbols, offsets, parts, ends, strict=True)
    pointers = [(s, PART_BY_LETTER[p] + o, int(e[:2], 16), int(e[2:], 16)) for s, o, p, e in each]
    return Synset(words, pointers, gloss.partition('; "')[0].strip())


def _inflect_lemmas(lemmas: Mapping[str, Sequence[str]], irregular: IrregularForms) -> Iterator[Relation]:
    """Relate every lemma to each of its endings; an irregular form replaces the regular one."""
    for part_of_speech, words in lemmas.items():
        for lemma in words:
            irregular_forms = irregular.get((part_of_speech, lemma), [])
            if " " in lemma and part_of_speech == "verb" and not irregular_forms:  # 'gave up' as 'gave'
                first, rest = lemma.split(" ", 1)
                irregular_forms = [(ending, f"{form} {rest}") for ending, form in irregular.get(("verb", first), [])]
            if " " in lemma and part_of_speech == "noun" and not irregular_forms:  # 'wisdom teeth' as 'teeth'
                rest, last = lemma.rsplit(" ", 1)
                irregular_forms = [(ending, f"{rest} {form}") for ending, form in irregular.get(("noun", last), [])]
            regular = inflection.regular_forms(lemma, part_of_speech) if lemma.islower() else []
            for ending, form in irregular_forms + [one for one in regular if one[0] not in dict(irregular_forms)]:
                yield Relation(lemma, form, ending, WORDNET_SOURCE)


def _synset_relations(synset: Synset, synsets: Mapping[str, Synset]) -> Iterator[Relation]:
    """Yield the relations of the synset's words, and of the words its pointers lead to."""
    for head, word in itertools.permutations(synset.words, 2):
        yield Relation(head, word, "synonym", WORDNET_SOURCE)
    for symbol, key, source, target in synset.pointers:
        other = synsets.get(key)
        if other is None:
            continue
        heads = synset.words[source - 1 : source] if source else synset.words
        words = other.words[target - 1 : target] if target else other.words
        for head, word in itertools.product(heads, words):
            yield Relation(head, word, KIND_BY_SYMBOL.get(symbol, "relative"), WORDNET_SOURCE)
    for word in synset.words:
        yield Relation(synset.gloss, word, "gloss", WORDNET_SOURCE)
