"""The fitted numbers of finders and ranking: what each is, in what, and where it was measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CandidateSettings:
    """What finders find, and how ranking weighs it.

    Measured: docs/experiments/ranking.md, docs/experiments/clue-overlap.md, docs/experiments/vocabulary.md.
    """

    max_feature_share: float = 0.1  # of clues, or answers; features of more ('of', 'the') cost the most, tell the least
    prior_uses: int = 5  # added to an answer's uses, so that one use of a rare one is no proof; a guess
    min_similarity: float = 0.6  # 1 - distance / longer length, of a nearby clue
    stop_word_weight: float = 0.2  # of a stop word beside another of the same rarity
    head_size_power: float = 0.1  # of the number of words under a head; each is divided by it
    rarity_scale: float = 0.1  # of the sum of how rare features are, to be as large as the other columns
    repeated_factor: float = 0.005  # of an answer in its clue
    partial_factor: float = 0.05  # of an answer that begins or ends with a word of its clue
    min_part_letters: int = 4  # of such a word; shorter ones are in many answers by chance
    vote_sharpness: float = 12.0  # how much faster than its cosine a clue's vote falls
    prior_clues: float = 3.0  # added to an answer's clues, so that one clue alone is no consensus
    min_votes: float = 1e-6  # added to an answer's votes, which may be none
    max_list_length: int = 100_000  # candidates of a list
    original_clue_share: float = 0.3  # weight of a clue's first wording once answers that may be wrong joined it
    min_paraphrase_cosine: float = 0.8  # of a past clue that is named as one that means the same; a guess
    recent_uses_floor: int = 13  # decayed uses from which they count: a twentieth of one; a guess


CANDIDATES = CandidateSettings()
