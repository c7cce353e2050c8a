"""The fitted numbers of finders and ranking, each with its unit and the place of its measurement."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CandidateSettings:
    """Settings of the finders and of ranking.

    Measured: docs/experiments/ranking.md, docs/experiments/clue-overlap.md, docs/experiments/vocabulary.md.
    """

    max_feature_share: float = 0.1  # of clues, or answers; more common features ('of', 'the') cost most and say least
    prior_uses: int = 5  # added to an answer's uses, so that one use of a rare answer proves little; a guess
    min_similarity: float = 0.6  # 1 - distance / longer length, of a nearby clue
    stop_word_weight: float = 0.2  # weight of a stop word relative to another word of the same rarity
    head_size_power: float = 0.1  # exponent of the number of words under a head; each word is divided by the result
    rarity_scale: float = 0.1  # factor on the sum of the rarities of features, to match the scale of other columns
    repeated_factor: float = 0.005  # factor for an answer that is in its clue
    partial_factor: float = 0.05  # factor for an answer that begins or ends with a word of its clue
    min_part_letters: int = 4  # least letters of that word; shorter ones are in many answers by chance
    vote_sharpness: float = 12.0  # how much faster than its cosine a clue's vote falls
    prior_clues: float = 3.0  # added to an answer's clues, so that a single clue counts for less
    min_votes: float = 1e-6  # added to an answer's votes, which may be none
    max_list_length: int = 100_000  # candidates in a list
    original_clue_share: float = 0.3  # weight of a clue's first wording, once doubtful answers are inserted
    min_paraphrase_cosine: float = 0.8  # least cosine of a past clue that is reported as a paraphrase; a guess
    recent_uses_floor: int = 13  # decayed uses below which hardly anything counts: a twentieth of one use; a guess


CANDIDATES = CandidateSettings()
