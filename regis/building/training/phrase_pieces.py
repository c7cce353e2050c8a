"""Learning the pieces of new answers (models.strings.phrase_model) from an index's rarest answers.

Answers used once or twice are most like unused ones. Pieces are the words of clues and short answers; Aho-Corasick
finds them in rare answers, and EM over all cuts estimates each piece's probability as first, middle, and last piece.
How much the pieces count, by length, and how much clues bias them, is fitted on the newest year's new answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import ahocorasick
import numpy as np
from numpy.typing import NDArray

from regis.building.settings import PHRASES
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.index import Index, Partition
from regis.models.arrays import first_largest
from regis.models.settings import STRINGS
from regis.models.strings import letter_model
from regis.models.strings.phrase_model import FIRST_PIECE, LAST_PIECE, MIDDLE_PIECE, PhraseModel
from regis.models.strings.pieces import damp_counts
from regis.models.strings.string_model import StringModel
from regis.puzzle import alphabet

SHARE_GRID = np.linspace(0.02, 0.98, 49)
LEAN_GRID = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


class PieceMatches(NamedTuple):
    """Every occurrence of a piece in a longer answer: parallel arrays."""

    answer_rows: NDArray[np.int64]
    start_places: NDArray[np.int64]
    end_places: NDArray[np.int64]
    piece_rows: NDArray[np.int64]


class FittedPhrases(NamedTuple):
    """The phrase model, P(made of pieces) of new answers by length, and how much clues bias the pieces."""

    phrase_model: PhraseModel
    phrase_shares: Mapping[int, float]
    clue_lean: float


def count_clue_words(index: Index) -> Counter[str]:
    """Count the words of all clues of `index`, in capitals, by use."""
    word_counts: Counter[str] = Counter()
    for part in index.partitions():
        for key in part.clue_keys.take_texts(np.flatnonzero(part.clue_counts > 0)):
            word_counts.update(key.split())
    return Counter({word.upper(): count for word, count in word_counts.items() if word.isascii() and word.isalpha()})


def fit_phrases(index: Index) -> FittedPhrases | None:
    past_index = index.before_newest_year()
    past_model = _fit_model(past_index)
    current_model = _fit_model(index)
    if past_model is None or current_model is None:
        return None
    partition_pairs = _partition_pairs(index, past_index, PHRASES.min_phrase_length - 1)
    masks = ((now, (now.use_counts > 0) & ~then.is_live) for now, then in partition_pairs)
    new_answers = [answer for part, is_new in masks for answer in _answer_strings(part, is_new)]
    if len(new_answers) < PHRASES.min_examples:
        return None
    used = ((part.answer_letters, (part.use_counts > 0).astype(np.float64)) for part in past_index.partitions())
    trigram_counts = [letter_model.count_trigrams(*letters_and_weights) for letters_and_weights in used]
    strings = StringModel(letter_model.LetterModel.from_trigrams(np.sum(trigram_counts, axis=0)), past_model)
    return FittedPhrases(current_model, _fit_shares(new_answers, strings), _fit_lean(index, past_index, strings))


def _fit_model(index: Index) -> PhraseModel | None:
    piece_uses = dict(sorted(_count_pieces(index).items()))  # in the order of the trie of pieces
    pieces = list(piece_uses)
    parts = (part for part in index.partitions() if part.length >= PHRASES.min_phrase_length)
    masks = ((part, (part.use_counts >= 1) & (part.use_counts <= PHRASES.max_rare_uses)) for part in parts)
    rare_answers = [answer for part, is_rare in masks for answer in _answer_strings(part, is_rare)]
    if len(rare_answers) < PHRASES.min_examples:
        return None
    if len(rare_answers) > PHRASES.max_rare_answers:
        order = np.random.default_rng(5).permutation(len(rare_answers))
        rare_answers = [rare_answers[i] for i in order[: PHRASES.max_rare_answers]]
    lengths, uses = np.array([len(answer) for answer in rare_answers]), np.array(list(piece_uses.values()), float)
    chances = _estimate_chances(_find_matches(rare_answers, pieces), lengths, uses)
    return PhraseModel(pieces, np.exp(np.rint(np.log(chances) / PHRASES.rounding_step) * PHRASES.rounding_step))


def _count_pieces(index: Index) -> dict[str, int]:
    piece_uses = {
        word: count for word, count in count_clue_words(index).items() if len(word) <= STRINGS.max_piece_letters
    }
    for part in (part for part in index.partitions() if part.length <= PHRASES.max_answer_piece):
        for row in np.flatnonzero(part.use_counts > 0):
            answer = alphabet.codes_to_word(part.answer_letters[row])
            piece_uses[answer] = piece_uses.get(answer, 0) + int(part.use_counts[row])
    return piece_uses


def _partition_pairs(index: Index, past_index: Index, min_length: int) -> Iterator[tuple[Partition, Partition]]:
    """Pair the partitions of each length from `min_length` up: now, and without the newest year."""
    parts = zip(index.partitions(), past_index.partitions(), strict=True)
    return ((now, then) for now, then in parts if now.length >= min_length)


def _answer_strings(part: Partition, answer_mask: NDArray[np.bool_]) -> list[str]:
    strings: list[str] = part.answers[answer_mask].astype(str).tolist()
    return strings


def _find_matches(answers: list[str], pieces: list[str]) -> PieceMatches:
    automaton = ahocorasick.Automaton()
    for i, piece in enumerate(pieces):
        automaton.add_word(piece, (i, len(piece)))
    automaton.make_automaton()
    matches = (
        (row, end + 1 - size, end + 1, piece)
        for row, answer in enumerate(answers)
        for end, (piece, size) in automaton.iter(answer)
        if size < len(answer)
    )
    return PieceMatches(*np.fromiter(matches, np.dtype((np.int64, 4))).T)


def _estimate_chances(
    matches: PieceMatches, answer_lengths: NDArray[np.int64], piece_uses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Estimate each piece's probability as first, middle, and last piece, (3, pieces), by EM.

    The probabilities of middle pieces sum to P(one more piece).
    """
    is_last = matches.end_places == answer_lengths[matches.answer_rows]
    kind = np.where(matches.start_places == 0, FIRST_PIECE, np.where(is_last, LAST_PIECE, MIDDLE_PIECE))
    longest, rows = int(answer_lengths.max()), np.arange(len(answer_lengths))
    by_end = [np.flatnonzero(matches.end_places == i) for i in range(longest + 1)]
    by_start = [np.flatnonzero(matches.start_places == i) for i in range(longest + 1)]
    common = damp_counts(piece_uses) / damp_counts(piece_uses).sum()
    prior = len(answer_lengths) * (PHRASES.use_prior * common + PHRASES.uniform_prior / len(piece_uses))
    chances = np.stack([common, common / 3, common])
    for _ in range(PHRASES.em_rounds):
        chance = chances[kind, matches.piece_rows]
        forward = np.zeros((len(answer_lengths), longest + 1))
        forward[:, 0] = 1
        for end, at in enumerate(by_end):
            flow = forward[matches.answer_rows[at], matches.start_places[at]] * chance[at]
            forward[:, end] += np.bincount(matches.answer_rows[at], flow, len(answer_lengths))
        backward = np.zeros_like(forward)
        backward[rows, answer_lengths] = 1
        for start, at in reversed(list(enumerate(by_start))):
            flow = backward[matches.answer_rows[at], matches.end_places[at]] * chance[at]
            backward[:, start] += np.bincount(matches.answer_rows[at], flow, len(answer_lengths))
        totals = backward[:, 0][matches.answer_rows]
        flow = forward[matches.answer_rows, matches.start_places] * chance
        flow = flow * backward[matches.answer_rows, matches.end_places]
        posterior = np.divide(flow, totals, out=np.zeros(len(totals)), where=totals > 0)
        counts = np.stack([np.bincount(matches.piece_rows, posterior * (kind == k), len(piece_uses)) for k in range(3)])
        p_continue = counts[MIDDLE_PIECE].sum() / max(counts[MIDDLE_PIECE].sum() + counts[LAST_PIECE].sum(), 1)
        chances = counts + prior
        chances /= chances.sum(axis=1, keepdims=True)
        chances[MIDDLE_PIECE] *= p_continue
    return chances


def _fit_lean(index: Index, past_index: Index, string_model: StringModel) -> float:
    """Return the bias in LEAN_GRID that makes new answers likeliest, given their clues."""
    if not past_index.encoders or string_model.phrase_model is None:
        return 0.0
    clue_answers = []  # clues of the newest year with answers that no list had before
    for now, then in _partition_pairs(index, past_index, PHRASES.min_phrase_length):
        for row in np.flatnonzero(now.clue_newest_counts > 0).tolist():
            answer_row = now.clue_answer_rows[row]
            if not then.is_live[answer_row]:
                clue_answers.append((now.clue_texts[row], alphabet.codes_to_word(now.answer_letters[answer_row])))
    chosen = np.random.default_rng(5).permutation(len(clue_answers))[: PHRASES.lean_clues]
    prior = UnlistedPrior(past_index, string_model)
    total = np.zeros(len(LEAN_GRID))
    for clue, word in (clue_answers[i] for i in chosen):
        codes = alphabet.letter_codes(word)
        for i, lean in enumerate(LEAN_GRID):
            model = prior.models_for_clues([clue], lean)[0].phrase_model
            assert model is not None
            if not np.isneginf(log_weight := model.string_log_weight(codes)):
                total[i] += log_weight - model.log_normalizer(len(word))
    return LEAN_GRID[first_largest(total)]


def _fit_shares(new_answers: list[str], string_model: StringModel) -> Mapping[int, float]:
    assert string_model.phrase_model is not None
    shares: dict[int, float] = {}
    prior_loglik = np.zeros(len(SHARE_GRID))
    for length in sorted({len(word) for word in new_answers}):
        base = string_model.phrase_model.log_normalizer(length)
        if np.isneginf(base):
            continue
        letter_codes = [alphabet.letter_codes(word) for word in new_answers if len(word) == length]
        evidence = np.stack([letter_model.one_hot_evidence(codes) for codes in letter_codes])
        by_letters = string_model.letter_posterior(evidence)[0]
        by_pieces = np.array([string_model.phrase_model.string_log_weight(codes) for codes in letter_codes]) - base
        by_share = (np.log(SHARE_GRID)[:, None] + by_pieces, np.log1p(-SHARE_GRID)[:, None] + by_letters)
        loglik = np.logaddexp(*by_share).sum(axis=1)
        total = loglik + prior_loglik
        shares[length] = round(float(SHARE_GRID[first_largest(total)]), 3)
        prior_loglik = loglik * min(PHRASES.share_prior_answers / len(letter_codes), 1)
    return shares
