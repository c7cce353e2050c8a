"""What a clue says about the pieces of an unlisted answer."""

import shutil
from pathlib import Path

import corpus
import numpy as np
import pytest
import tiny

from regis.candidates.unlisted_prior import UnlistedPrior
from regis.index import Index
from regis.index.tables import schema
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.string_model import StringModel
from regis.puzzle.alphabet import letter_codes

PIECES = ("OTTER", "EAGLE", "HORSE", "ANT", "QQQ", "AN")
STRINGS = StringModel(tiny.letters(), PhraseModel(PIECES, np.full((3, len(PIECES)), 0.1)), {8: 0.9})


def chances(index: Index, clue: str, lean: float = 1.0) -> dict[str, float]:
    model = UnlistedPrior(index, STRINGS).models_for_clues([clue], lean)[0].phrase_model
    assert model is not None
    return dict(zip(PIECES, model.piece_probabilities[0].tolist(), strict=True))


def test_pieces_that_the_clue_means_are_likelier(strong_index: Index):
    for answer in ("OTTER", "EAGLE", "HORSE"):
        found = chances(strong_index, corpus.HINTS[answer])
        assert max(found, key=lambda piece: found[piece]) == answer
        assert found["QQQ"] == found["AN"], "nobody has met these"
        assert sum(found.values()) == pytest.approx(0.1 * len(PIECES))


def test_all_encoders_are_heard(strong_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two equal encoders count twice."""
    twice = Index(Path(shutil.copytree(strong_index.folder, tmp_path / "index")), strong_index.manifest)
    for path in twice.folder.glob(f"length=*/{schema.TRANSFORMER}.arrays"):
        shutil.copy(path, path.with_name(f"{schema.ENCODER}.arrays"))
    encoder = strong_index.transformer
    assert encoder is not None
    once = chances(strong_index, corpus.HINTS["OTTER"], 1.0)
    monkeypatch.setattr(Index, "encoders", {schema.ENCODER: encoder, schema.TRANSFORMER: encoder})
    assert chances(twice, corpus.HINTS["OTTER"], 0.5) == pytest.approx(once, rel=1e-4)


def test_without_an_encoder_a_piece_or_a_word_nothing_leans(whole: Index, strong_index: Index):
    letters = StringModel(tiny.letters())
    for index, strings, clue, lean in (
        (whole, STRINGS, "river player", 1.0), (strong_index, STRINGS, "river player", 0.0),
        (strong_index, letters, "river player", 1.0), (strong_index, STRINGS, "", 1.0),
        (strong_index, STRINGS, "?!", 1.0),
    ):  # fmt: skip
        assert UnlistedPrior(index, strings).models_for_clues([clue], lean) == [strings]


@pytest.mark.parametrize(("clue", "lean"), [("", 1.0), ("river player", 0.0), ("river player", 1.0)])
def test_results_for_a_clue_are_not_cached_with_the_index(clue: str, lean: float, strong_index: Index):
    """Otherwise it would grow with every puzzle."""
    strings = StringModel(STRINGS.letter_model, STRINGS.phrase_model, STRINGS.piece_share)
    first, second = UnlistedPrior(strong_index, strings).models_for_clues([clue, clue], lean)
    first.string_loglik(letter_codes("OTTERANT"))
    assert first._known_logliks and not second._known_logliks and not strings._known_logliks
