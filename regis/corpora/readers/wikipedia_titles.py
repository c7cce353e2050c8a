"""`wikipedia-titles`: the titles of articles and redirects, from a dump `enwiki-*-all-titles-in-ns0`, .gz or plain.

Those of Wiktionary and of other wikis come in the same form.

One title a line with `_` for a space; also the dump of all namespaces, `number<TAB>title`, of which only articles (0)
count. What is in brackets at the end tells homonyms apart and is dropped: 'Tempo (chess)' is TEMPO. A title with a
comma is two entries, the whole and what stands before the comma: of 'Paris, Texas' and 'Paris, France' both the whole
and PARIS are answers, and the name alone is the likelier one. So a title can be entry and reject in one; it counts as
a reject only if nothing of it is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import files

SOURCE, DICTIONARY = "wikipedia", "wiktionary"
WEIGHT = 0.2  # a title is a worse guess than a word: of the titles that never were an answer few ever will be
HEADERS = ("page_title", "page_namespace\tpage_title")

NAMESPACES = frozenset(
    f"{name}{talk}"
    for name in (
        "user", "wikipedia", "wp", "project", "file", "image", "mediawiki", "template", "help", "category", "cat",
        "portal", "draft", "book", "module", "timedtext", "special", "media", "mos", "topic",
    )
    for talk in ("", " talk")
) | {"talk"}  # fmt: skip

LONGEST = 255  # characters of a title; MediaWiki takes as many bytes
TOO_LONG = Reject(f"title longer than {LONGEST} characters")
LIST = Reject("list of things")
HOMONYMS = Reject("disambiguation page")
DIGITS = Reject("only digits")
OTHER_SCRIPT = Reject("title has digits or letters beyond A to Z")
NO_ARTICLE = Reject("not an article")


def read(path: Path) -> Iterator[Entry | Reject]:
    """The titles of a dump. Raises SourceError if `path` cannot be read or is empty."""
    source = DICTIONARY if DICTIONARY in path.name else SOURCE
    for line in files.lines(path, (".txt", "-ns0", "-titles")):
        if isinstance(line, Reject):
            yield line
            continue
        if "\t" in line:
            if line == HEADERS[1]:
                continue
            namespace, _, line = line.partition("\t")
            if namespace != "0":
                yield NO_ARTICLE
                continue
        if len(line) > LONGEST:
            yield TOO_LONG
            continue
        title = line.replace("_", " ")
        if not title.isprintable():
            title = text.clue(title)
        if title.endswith(")"):
            if title.endswith("(disambiguation)"):
                yield HOMONYMS
                continue
            title = files.without_note(title)
        if title.startswith(("List of ", "Lists of ")):
            yield LIST
            continue
        if ":" in title and in_namespace(title):
            yield NO_ARTICLE
            continue
        answer = text.answer(title)
        good = text.fits_grid(answer)
        if good and line != HEADERS[0]:
            yield Entry(answer, "", title, source, None, WEIGHT)
        if ", " in title and text.fits_grid(short := text.answer(name := title.partition(", ")[0])):
            yield Entry(short, "", name, source, None, WEIGHT)
        elif not good and line:
            yield refusal(title, answer)


def in_namespace(title: str) -> bool:
    """'Talk:Oslo', but not 'Portal: Still Alive': the colon of a namespace has no space after it."""
    name, _, rest = title.partition(":")
    return name.lower() in NAMESPACES and not rest.startswith(" ")


def refusal(title: str, answer: str) -> Reject:
    """Why a title whose answer cannot be used is turned away."""
    if answer:
        return files.wrong_length(answer)
    return DIGITS if title.replace(" ", "").isdigit() else OTHER_SCRIPT
