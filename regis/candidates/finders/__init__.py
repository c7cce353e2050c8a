"""Finders: from one clue to candidate answers, each by another road.

A finder is a function `(clue, pattern, index, limit) -> Found`. `pattern` has the slot's length, with the letters that
are known ('P?I'); `limit` is how many past clues it may look at closely. It never sees the grid, and answers
`Found.nothing` where it knows nothing. Who will ask for many clues says so `ahead`: some think faster of all together.
"""

from __future__ import annotations

from collections.abc import Callable

from regis.candidates.candidate_list import Found
from regis.candidates.finders import blanks, keywords, meaning, nearby, pattern, reference
from regis.candidates.finders.meaning import ahead as ahead
from regis.index import Index

Finder = Callable[[str, str, Index, int], Found]

PAST_CLUES = 400
"""How many past clues each finder looks at closely, where nobody wants otherwise."""

FINDERS: dict[str, Finder] = {
    "nearby": nearby.find,
    "keywords": keywords.find,
    "meaning": meaning.find,
    "transformer": meaning.read,
    "reference": reference.find,
    "blanks": blanks.find,
    "pattern": pattern.find,
}
