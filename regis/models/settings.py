"""The fitted numbers of the string models, each with its unit and the place of its measurement."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StringSettings:
    """Settings for scoring strings that no list has.

    Measured: docs/experiments/phrase-model.md, docs/experiments/phrase-search.md.
    """

    smoothing_count: float = 0.5  # added to every trigram, split by the bigrams' shares, so that none is impossible
    max_piece_letters: int = 14  # in a word that becomes a piece
    count_power: float = 0.75  # exponent of a piece's number of uses; a guess
    min_piece_fit: float = 1e-6  # product of a piece's letters, each relative to its cell's likeliest; saves time
    min_open_share: float = 0.7  # share of open letters at which all pieces are scored at once
    min_open_letter: float = 1e-3  # likelihood of an open letter, relative to the cell's likeliest
    succession_share: float = 0.2  # share of pieces that depend on the piece before
    max_paired_pieces: int = 200  # pieces that are looked at in pairs: a bound on time; a guess
    rarity_count: int = 20  # added to a word's count, so that a pair met once with a rare word says little
    listed_factor: float = 1e-4  # weight of a short string that is listed; a list may lack it
    cost_per_word: float = 1.0  # nats for each further word when the reader segments an answer; a guess
    unseen_count: float = 0.01  # count of a word that was never seen; a guess
    unseen_letter_factor: float = 10**-1.2  # factor on that count for each letter; a guess


STRINGS = StringSettings()
