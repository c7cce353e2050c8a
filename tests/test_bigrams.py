"""Which words follow which: what is counted, how it is kept, and what it makes of pieces side by side."""

import itertools
from pathlib import Path

import corpus
import numpy as np
import pyarrow as pa
import pytest
import strong
import tiny
from hypothesis import given
from hypothesis import strategies as st

from regis.building.training import bigrams as counting
from regis.corpora.entry import Entry
from regis.errors import IndexDamaged
from regis.index import Index, schema, tables
from regis.models import ways
from regis.models.bigrams import Bigrams, words
from regis.models.unlisted import FIRST, LAST, MIDDLE, PhraseModel
from regis.models.ways import FOLLOWING
from regis.puzzle import alphabet
from regis.solving.pipeline import solve

PIECES = ("A", "B", "AB", "BA", "ABA")
KNOWN = {("A", "B"): 0.5, ("AB", "A"): 0.25, ("BA", "BA"): 1.0, ("B", "AB"): 0.125}


def names(*them: str) -> np.ndarray:
    return words(np.array(them, "S"))


def bigrams() -> Bigrams:
    return Bigrams.of({pair: round(8 * chance) for pair, chance in KNOWN.items()}, dict.fromkeys(PIECES, 8))


def model() -> PhraseModel:
    chances = np.random.default_rng(3).uniform(0.1, 1, (3, len(PIECES)))
    return PhraseModel(PIECES, chances, bigrams()).leaning(np.linspace(0.5, 2, len(PIECES)))


# pairs


def test_what_follows_what_is_known_and_nothing_else():
    pairs = list(itertools.product((*PIECES, "X", "AA"), repeat=2))
    first, second = zip(*pairs, strict=True)
    assert bigrams().following(names(*first), names(*second)).tolist() == [KNOWN.get(pair, 0.0) for pair in pairs]


def test_a_word_is_the_same_word_however_wide_its_column_is():
    assert np.array_equal(words(np.array(["A", "ABA"], "S3")), words(np.array(["A", "ABA"], "S14")))


@given(st.lists(st.text("ABC", min_size=1, max_size=6), min_size=2, max_size=40, unique=True))
def test_pairs_do_not_share_numbers(several: list[str]):
    pairs = list(itertools.permutations(several, 2))
    found = Bigrams.of(dict.fromkeys(pairs, 1), dict.fromkeys(several, 4))
    assert len(found.pairs) == len(pairs) and (np.diff(found.pairs.astype(np.int64)) > 0).all()


def test_no_pairs():
    none = Bigrams.of({}, {})
    assert none.following(names("A", "B"), names("B", "A")).tolist() == [0.0, 0.0]
    plain, with_none = PhraseModel(PIECES, np.ones((3, 5))), PhraseModel(PIECES, np.ones((3, 5)), none)
    alone = np.log1p(-FOLLOWING)
    assert with_none.weight(alphabet.codes("BB")) == pytest.approx(plain.weight(alphabet.codes("BB")) + alone)


# pieces side by side


def rows(of: PhraseModel, string: str) -> dict[tuple[str, ...], float]:
    """Every row of two pieces or more that makes the string, and how likely it is; the slow obvious version."""
    chances, factor = of.chances, np.linspace(0.5, 2, len(PIECES))
    scale = chances / np.random.default_rng(3).uniform(0.1, 1, (3, len(PIECES))) / factor

    def on(made: tuple[str, ...], weight: float) -> None:
        at = len("".join(made))
        if at == len(string) and len(made) > 1:
            found[made] = weight
        for i, piece in enumerate(PIECES):
            if string.startswith(piece, at) and (made or piece != string):
                kind = FIRST if not made else LAST if at + len(piece) == len(string) else MIDDLE
                p = chances[kind, i]
                if made:
                    follows = KNOWN.get((made[-1], piece), 0.0) * factor[i] * scale[kind, i]
                    p = (1 - FOLLOWING) * p + FOLLOWING * follows
                on((*made, piece), weight * p)

    found: dict[tuple[str, ...], float] = {}
    on((), 1.0)
    return found


@given(st.text("AB", min_size=2, max_size=8))
def test_a_string_weighs_what_all_its_rows_of_pieces_do(string: str):
    found, codes = rows(model(), string), alphabet.codes(string)
    total = sum(found.values())
    assert model().weight(codes) == (pytest.approx(np.log(total)) if total else -np.inf)
    pieces, share = model().split(codes)
    if not total:
        assert (pieces, share) == ((), 0.0)
        return
    assert found[pieces] == pytest.approx(max(found.values())) and share == pytest.approx(found[pieces] / total)


@pytest.mark.parametrize("length", range(2, 7))
def test_letters_are_as_likely_as_all_rows_with_them(length: int):
    evidence = np.zeros((length, 26))
    evidence[:, :2] = np.random.default_rng(length).uniform(0.1, 3, (length, 2))
    marginal = np.zeros((length, 26))
    for string in map("".join, itertools.product("AB", repeat=length)):
        codes = alphabet.codes(string)
        marginal[np.arange(length), codes] += (
            sum(rows(model(), string).values()) * evidence[range(length), codes].prod()
        )
    weight, found = model().posterior(evidence)
    assert weight == pytest.approx(np.log(marginal[0].sum())) and found == pytest.approx(marginal / marginal[0].sum())


def test_where_there_are_many_only_the_likeliest_are_looked_at_in_pairs(monkeypatch: pytest.MonkeyPatch):
    """What is left out counts as if it followed nothing; letters still add up."""
    evidence = np.zeros((6, 26))
    evidence[:, :2] = np.random.default_rng(1).uniform(0.1, 3, (6, 2))
    whole, _ = model().posterior(evidence)
    weights = []
    for most in (1, 4, 8):
        monkeypatch.setattr(ways, "LIKELIEST", most)
        weight, marginal = model().posterior(evidence)
        assert marginal.sum(axis=1) == pytest.approx(1)
        weights.append(weight)
    assert weights == sorted(weights) and weights[0] < weights[-1] <= whole


# counting


def test_words_of_clues_blanks_and_titles_follow_each_other(tmp_path: Path):
    rows = [
        corpus.entry("PAL", '"___ Joey"'), corpus.entry("PAL", "Joey's pal"), corpus.entry("OSLO", "Pal Joey's city"),
        Entry("OSLOACCORDS", "", "Oslo Accords", "tst", None, 1.0),
    ]  # fmt: skip
    index = corpus.index(tmp_path, rows)
    found = counting.of(index, np.array(["ACCORDS", "CITY", "JOEY", "OSLO", "PAL"], "S"))
    chances = {
        (a, b): found.following(names(a), names(b))[0]
        for a, b in (("PAL", "JOEY"), ("JOEYS", "CITY"), ("OSLO", "ACCORDS"), ("JOEY", "PAL"))
    }
    assert chances["PAL", "JOEY"] == pytest.approx(1 / 3), "PAL three times, JOEY once behind it: where the blank was"
    assert chances["OSLO", "ACCORDS"] == 1 and not chances["JOEYS", "CITY"] and not chances["JOEY", "PAL"]


@pytest.fixture
def own(tmp_path: Path) -> Index:
    """An index with pieces, and pairs of them."""
    index = corpus.index(tmp_path, corpus.rows((2004,)))
    columns = [pa.array(["A", "B"]), *[pa.array([0.5, 0.5], pa.float32())] * 3]
    tables.write_packed(index.folder / schema.PHRASES, pa.table(columns, schema=tables.PIECES), ["piece"])
    counting.write(bigrams(), index.folder)
    strong.list_files(index)
    return index


def test_what_is_written_is_read(own: Index):
    phrases = Index.open(own.folder).strings.phrases
    assert phrases is not None and phrases.bigrams is not None
    assert np.array_equal(phrases.bigrams.pairs, bigrams().pairs)
    assert np.array_equal(phrases.bigrams.chances, bigrams().chances)


def test_an_index_without_them_is_read_as_it_was(own: Index):
    (own.folder / schema.BIGRAMS).unlink()
    strong.list_files(own)
    phrases = Index.open(own.folder).strings.phrases
    assert phrases is not None and phrases.bigrams is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda found: Bigrams(found.pairs[::-1], found.chances),
        lambda found: Bigrams(found.pairs, found.chances * 9),
        lambda found: Bigrams(found.pairs, -found.chances),
        lambda found: Bigrams(found.pairs, found.chances * np.float32(np.nan)),
        None,
    ],
    ids=["order", "more than 1", "less than 0", "no number", "cut"],
)
def test_damage_is_one_sentence(spoil, own: Index):
    if spoil is None:
        path = own.folder / schema.BIGRAMS
        path.write_bytes(path.read_bytes()[:100])
    else:
        counting.write(spoil(bigrams()), own.folder)
    strong.list_files(own)
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index.open(own.folder))
