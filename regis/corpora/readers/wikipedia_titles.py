"""`wikipedia-titles`: titles of articles and redirects, from a dump `enwiki-*-all-titles-in-ns0`, .gz or plain.

Other wikis have the same form, a title per line with `_` for a space. The dump of all namespaces has
`number<TAB>title`; only articles (0) count. Brackets at the end are dropped: 'Tempo (chess)' is TEMPO. A title with a
comma is two entries: 'Paris, Texas' is also PARIS. A title is a reject only if nothing of it is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora import entry
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import text_files

WIKIPEDIA_SOURCE = "wikipedia"
WIKTIONARY_SOURCE = "wiktionary"
TITLE_WEIGHT = 0.2  # a title is a worse guess than a word: few of the titles that never were an answer ever will be
HEADER_LINES = ("page_title", "page_namespace\tpage_title")

NAMESPACE_NAMES = frozenset(
    f"{name}{talk}"
    for name in (
        "user", "wikipedia", "wp", "project", "file", "image", "mediawiki", "template", "help", "category", "cat",
        "portal", "draft", "book", "module", "timedtext", "special", "media", "mos", "topic",
    )
    for talk in ("", " talk")
) | {"talk"}  # fmt: skip

MAX_TITLE_CHARS = 255  # characters of a title; MediaWiki takes as many bytes
TITLE_TOO_LONG = Reject(f"title longer than {MAX_TITLE_CHARS} characters")
LIST_ARTICLE = Reject("list of things")
DISAMBIGUATION_PAGE = Reject("disambiguation page")
ONLY_DIGITS = Reject("only digits")
OTHER_SCRIPT = Reject("title has digits or letters other than A to Z")
NO_ARTICLE = Reject("not an article")


def read(path: Path) -> Iterator[Entry | Reject]:
    """Yield the titles of a dump; raises SourceError if `path` can't be read or is empty."""
    source = WIKTIONARY_SOURCE if WIKTIONARY_SOURCE in path.name else WIKIPEDIA_SOURCE
    for line in text_files.read_lines(path, (".txt", "-ns0", "-titles")):
        if isinstance(line, Reject):
            yield line
            continue
        if "\t" in line:
            if line == HEADER_LINES[1]:
                continue
            namespace, _, line = line.partition("\t")
            if namespace != "0":
                yield NO_ARTICLE
                continue
        if len(line) > MAX_TITLE_CHARS:
            yield TITLE_TOO_LONG
            continue
        title = line.replace("_", " ")
        if not title.isprintable():
            title = text.clean_clue(title)
        if title.endswith(")"):
            if title.endswith("(disambiguation)"):
                yield DISAMBIGUATION_PAGE
                continue
            title = entry.strip_note(title)
        if title.startswith(("List of ", "Lists of ")):
            yield LIST_ARTICLE
            continue
        if ":" in title and has_namespace(title):
            yield NO_ARTICLE
            continue
        answer = text.normalize_answer(title)
        fits_grid = text.fits_grid(answer)
        if fits_grid and line != HEADER_LINES[0]:
            yield Entry(answer, "", title, source, None, TITLE_WEIGHT)
        if ", " in title and text.fits_grid(short_answer := text.normalize_answer(name := title.partition(", ")[0])):
            yield Entry(short_answer, "", name, source, None, TITLE_WEIGHT)
        elif not fits_grid and line:
            yield reject_title(title, answer)


def has_namespace(title: str) -> bool:
    """Return whether a title is in a namespace: 'Talk:Oslo', but not 'Portal: Still Alive', with a space."""
    name, _, rest = title.partition(":")
    return name.lower() in NAMESPACE_NAMES and not rest.startswith(" ")


def reject_title(title: str, answer: str) -> Reject:
    if answer:
        return entry.reject_length(answer)
    return ONLY_DIGITS if title.replace(" ", "").isdigit() else OTHER_SCRIPT
