"""The fitted numbers of the models of strings: what each is, in what, and where it was measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StringSettings:
    """How strings without a list are scored.

    Measured: docs/experiments/phrase-model.md, docs/experiments/phrase-search.md.
    """

    smoothing_count: float = 0.5  # added to every trigram by the bigrams' shares, so that none is impossible
    max_piece_letters: int = 14  # of a word that becomes a piece
    count_power: float = 0.75  # of a piece's uses; a guess
    min_piece_fit: float = 1e-6  # product of a piece's letters, each relative to its cell's likeliest: time for strings
    min_open_share: float = 0.7  # of letters, from which all pieces are scored at once
    min_open_letter: float = 1e-3  # likelihood of such a letter, relative to its cell's likeliest
    succession_share: float = 0.2  # of pieces that come because of the one before
    max_paired_pieces: int = 200  # that are looked at in pairs: a bound on time; a guess
    rarity_count: int = 20  # added to a word's count, so that a pair met once with a rare word says little
    listed_factor: float = 1e-4  # of a listed short string, as far as a list may lack it
    cost_per_word: float = 1.0  # nats of a further word, where the reader cuts an answer; a guess
    unseen_count: float = 0.01  # of a word that was never seen; a guess
    unseen_letter_factor: float = 10**-1.2  # of that count, for each letter; a guess


STRINGS = StringSettings()
