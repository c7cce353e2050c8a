"""The fitted numbers of solving, each with its unit and the place of its measurement."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PropagationSettings:
    """How messages pass between answers and squares.

    Measured: docs/experiments/messages.md, docs/experiments/message-pruning.md, docs/experiments/collapsed-grids.md.
    """

    damping: float = 0.45  # share of the old message that stays; without damping, loops oscillate
    message_floor: float = 1e-7  # least P(a letter) in a message, so that no single list can exclude a letter
    max_rounds: int = 28
    more_rounds: int = 5  # after answers were inserted into the clues that refer to them
    warmup_rounds: int = 8  # most rounds in which messages count less and unlisted answers are only letters
    warmup_power: float = 0.7  # exponent of the messages in these rounds
    settled_change: float = 0.002  # change of a letter's probability below which beliefs are settled
    warmup_settled_change: float = 0.05  # the same, for the end of the warmup
    give_up_share: float = 0.6  # share of doubtful squares at which a filler may give up, to start over after reading
    give_up_round: int = 12  # round in which it may
    prune_nats: float = 14.0  # distance from the best answer within reach; more takes time for rare answers
    unsure_above: float = 0.02  # P(unlisted) at which a slot's phrases count; they take the most time
    still_change: float = 0.001  # change of messages, relative to a square's likeliest letter, up to which beliefs stay
    list_refresh_rounds: int = 5  # between passes over whole lists
    phrase_refresh_rounds: int = 10  # between passes over all pieces
    moved_change: float = 0.02  # change, as for `still_change`, at which such a pass pays


PROPAGATION = PropagationSettings()


@dataclass(frozen=True)
class ConfidenceSettings:
    """How sure letters and answers are. (Measured: docs/experiments/confidence.md, docs/experiments/unlisted-prior.md.)

    The three numbers on the unexplained share (`unexplained_share`) were fitted by benchmarks/fit_confidence.py.
    """

    kept_share: float = 0.73  # of the log odds
    unlisted_loss: float = 2.25  # of that share, for each share of unlisted answers
    min_kept_share: float = 0.2
    max_unexplained_share: float = 0.1  # share of a grid that costs nothing
    unexplained_loss: float = 1.2  # negative log of the kept share, for each share beyond
    unexplained_shift: float = 3.1  # nats off the log odds, for each share beyond
    hardly_explained_share: float = 0.2  # unexplained share of a grid at which its clues may be another's
    surprise_weight: float = 1.3  # weight of lists that were sure and all wrong
    other_publisher_odds: float = 1.0  # added to the factor 1 on the odds that a short answer is unlisted
    odds_per_year: float = 0.4  # added to it for each year from the second after the index's newest
    max_odds_factor: float = 6.0  # upper bound, even for much later puzzles


CONFIDENCE = ConfidenceSettings()


@dataclass(frozen=True)
class LanguageModelSettings:
    """When an installed language model is asked, and how much it counts. (Measured: docs/experiments/language-model.md)

    The three bounds limit its time: 12 swaps have 48 strings.
    """

    answer_weight: float = 0.15  # of its nats, for the answers of doubtful slots
    swap_weight: float = 0.3  # of its nats, for letter swaps
    min_p: float = 0.01  # least probability of an answer or letter that it's asked about
    max_swaps: int = 12
    max_slots: int = 12
    max_answers: int = 5  # of a slot
    max_seconds: float = 5.0  # that must be left before the deadline; what it takes at most on one core


LANGUAGE_MODEL = LanguageModelSettings()
