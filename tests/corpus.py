"""A corpus written for these tests: words, clues, and years; and how to make an index of any rows."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from regis.building import build as building
from regis.corpora.entry import Entry, Reject, Relation, Source
from regis.index import Index

HINTS = {
    "ANT": "hill worker", "APE": "zoo swinger", "BAT": "cave flier", "BEE": "honey maker", "CAT": "mouse chaser",
    "COW": "milk giver", "DOG": "postman's foe", "ELK": "antlered grazer", "HEN": "egg layer", "OWL": "night hooter",
    "OAK": "acorn source", "ELM": "street shader", "ASH": "bat wood", "FIR": "needle dropper", "YEW": "churchyard tree",
    "BEAR": "honey thief", "CRAB": "sideways walker", "DEER": "forest jumper", "FROG": "pond croaker",
    "GOAT": "mountain climber", "HARE": "fast sleeper", "LAMB": "spring jumper", "LION": "proud roarer",
    "MOLE": "garden digger", "SEAL": "circus balancer", "SWAN": "graceful swimmer", "TOAD": "warty hopper",
    "WOLF": "moon howler", "WREN": "tiny singer", "CORK": "bottle stopper", "IRON": "shirt smoother",
    "GOLD": "winner's metal", "LEAD": "heavy metal", "ZINC": "bathtub metal", "NILE": "long river",
    "OSLO": "fjord city",
    "ROME": "city on seven hills", "LIMA": "city with a bean", "PERU": "llama land", "CUBA": "cigar land",
    "EAGLE": "mountain flier", "GOOSE": "golden egg layer", "HORSE": "barn neigher", "HYENA": "laughing hunter",
    "KOALA": "eucalyptus eater", "MOOSE": "huge antlers owner", "MOUSE": "cheese nibbler", "OTTER": "river player",
    "PANDA": "bamboo eater", "SHEEP": "wool giver", "SNAIL": "slow house owner", "STORK": "baby bringer",
    "TIGER": "striped hunter", "WHALE": "sea singer", "ZEBRA": "striped grazer", "BREAD": "baker's pride",
    "CREAM": "milk's best", "HONEY": "sweet spread", "LEMON": "sour fruit", "MELON": "round fruit",
    "OLIVE": "oily fruit", "PEACH": "fuzzy fruit", "GRAPE": "wine fruit", "SPAIN": "bullfight land",
    "ITALY": "boot land", "PARIS": "city of light", "DELHI": "city near Agra", "CAIRO": "city by the pyramids",
    "BADGER": "striped digger", "BEAVER": "dam builder", "CANARY": "yellow singer", "DONKEY": "stubborn bearer",
    "FALCON": "fast hunter", "JAGUAR": "jungle hunter", "LIZARD": "wall climber", "MONKEY": "tree swinger",
    "PARROT": "pirate's friend", "RABBIT": "carrot eater", "TURTLE": "slow swimmer", "WALRUS": "tusked swimmer",
    "BANANA": "bent fruit", "CHERRY": "red fruit", "ORANGE": "juicy fruit", "SILVER": "second metal",
    "LONDON": "foggy city", "LISBON": "tram city", "MADRID": "late supper city", "NORWAY": "fjord land",
    "DOLPHIN": "clever swimmer", "GIRAFFE": "high grazer", "HAMSTER": "wheel runner", "LEOPARD": "spotted hunter",
    "OSTRICH": "fast runner", "PENGUIN": "dressed swimmer", "ICELAND": "geyser land", "APRICOT": "orange fruit",
}  # fmt: skip
"""Answers and their clues."""

TEMPLATES = (
    "{}", "A {}", "The {}", "{}, say", "{}, perhaps", "{}, for one", "Any {}", "{} of fables", "Famous {}",
    "It's a {}", "{}: 2 wds.", "Old {}", "___, {}", "Kind of {}", "{} (var.)",
)  # fmt: skip
YEARS = (2001, 2002, 2003, 2004, 2005)
WORDS = {"OAR": 0.4, "EEL": 0.9, "TREE": 0.7, "ROSE": 0.2, "NOSE": 0.5, "STONE": 0.6, "ONSET": 0.3, "LION": 0.8,
         "STARES": 0.1, "ARTISTE": 0.5, "OK": 0.3}  # fmt: skip
TITLES = {"OSLOACCORDS": "Oslo Accords", "ROMEO": "Romeo", "PARISTEXAS": "Paris, Texas", "LION": "Lion"}
RELATIONS = (
    ("runner", "hare", "kind"), ("hare", "runner", "class"), ("swift", "hare", "relative"), ("lad", "boy", "synonym"),
    ("grazer", "deer", "kind"), ("grazer", "zebra", "kind"), ("hunter", "tiger", "kind"), ("fast", "slow", "antonym"),
    ("stone", "stones", "s"), ("tiger", "tigers", "s"), ("hunter", "hunters", "s"), ("stare", "stares", "s"),
    ("animal that plays in the river", "otter", "gloss"), ("striped animal of the jungle", "tiger", "gloss"),
    ("long river of Egypt", "nile", "gloss"), ("look hard", "stare", "synonym"), ("looked hard", "stares", "relative"),
)  # fmt: skip
"""(head, word, kind) of a dictionary."""
GRID = ("LION#", "I###O", "M###T", "A###T", "#SEAL")
CLUES = {"1A": "Proud roarer", "1D": "City with a bean", "3A": "Circus balancer"}
"""A puzzle for this corpus; the last entry has no clue."""

NOTHING = Reject("nothing in it")

Row = Entry | Relation | Reject


def entry(answer: str, clue: str = "", year: int | None = None, source: str = "tst", weight: float = 1.0) -> Entry:
    return Entry(answer, clue, "", source, year, weight)


def rows(years: Iterable[int] = YEARS) -> list[Row]:
    """Return about 2,500 clues, always the same, then the lists. A year doesn't depend on the other years."""
    found: list[Row] = []
    for year in years:
        lot = random.Random(year)
        for answer, hint in HINTS.items():
            for template in lot.sample(TEMPLATES, lot.randint(3, 7)):
                said = template.format(hint)
                found.append(entry(answer, said[0].upper() + said[1:], year, lot.choice(("tst", "oth"))))
        found.append(entry(f"NEWIN{chr(65 + year % 26)}", "Word of the year", year))
        found.append(NOTHING)
    found += [entry(word, source="list", weight=score) for word, score in WORDS.items()]
    found += [Entry(answer, "", text, "titles", None, 1.0) for answer, text in TITLES.items()]
    found += [Relation(*relation, "dictionary") for relation in RELATIONS]
    return found


def write(path: Path, of: Sequence[Row]) -> Source:
    """Write a file for the reader `rows`."""
    path.write_text("\n".join(json.dumps(row) for row in of), encoding="utf-8")
    return Source("rows", path)


def read(path: Path) -> Iterator[Row]:
    """Read one JSON list per line, as the reader `rows`; the lengths of lists tell their kinds."""
    for line in path.read_text(encoding="utf-8").splitlines():
        values = json.loads(line)
        yield {1: Reject, 4: Relation, 6: Entry}[len(values)](*values)


def index(folder: Path, of: Sequence[Row]) -> Index:
    """Build an index of these rows in `folder`, as users do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(building.READERS, "rows", read)
        building.build_index([write(folder / "rows.json", of)], folder / "index")
    return Index.open(folder / "index")
