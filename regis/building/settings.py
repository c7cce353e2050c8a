"""The numbers of building and learning, fitted or chosen, each with its unit and the place of its measurement."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ListSettings:
    """The worth of words in lists, and which words are kept. (Measured: docs/experiments/word-lists.md.)"""

    nats_per_score: float = 4.0  # nats of frequency in one unit of score
    usual_score: float = 0.5  # of a word without a score
    min_score: float = -3.0
    max_score: float = 1.0
    smallest_score: float = 0.001  # smallest valid score; 0 means unlisted
    odd_share: float = 0.05  # share of used answers that are odder; a word with less counts for less; a guess
    min_plausibility: float = 0.001  # worth of a word that is odder than all of them; a guess
    prior_strength: float = 3.0  # new answers that count as much as the prior of a group of lists, or of a length
    max_listed: int = 300_000  # strings that only lists have, the likeliest first; more take space for rare answers
    min_listed_score: float = -0.25  # of these strings; becomes an answer 20 times less often than usual words
    max_label_years: int = 8  # newest years whose new answers are learned; at most half of all years
    ridge_penalty: float = 3.0  # pull of the weights toward 0, in new answers

    min_unused_score: float = 0.36
    """Least score of a word without a clue in the starter; more than half are below. The worth of strings, vectors, and
    old clues per megabyte: docs/experiments/starter-size.md."""


LISTS = ListSettings()


@dataclass(frozen=True)
class CoiningSettings:
    """Which answers are coined, and their scores. (Measured: docs/experiments/coined-answers.md.)"""

    common_in_pairs: int = 40  # commonest words; a pair with one of them must be frequent
    common_in_triples: int = 10  # commonest words, which neither begin nor end a triple
    pair_score: float = 0.4  # of a pair found twice
    common_pair_score: float = 0.25  # of a pair with a common word, found twice
    once_pair_score: float = 0.2  # of a pair found once
    triple_score: float = 0.4  # of three words found together three times
    twice_triple_score: float = 0.15  # of three words found together twice
    min_productivity: int = 30  # of a rare pair: answers with its first word, times answers with its second
    min_word_count: int = 5  # uses in clues of each word of an answer that is split in two
    inflected_score: float = 0.5  # of a known answer in another form that a dictionary has
    plural_score: float = 0.15  # of a known answer with an S
    particle_score: float = 0.7  # of TIMEDOUT if TIMEOUT is known
    min_plural_uses: int = 3  # of an answer that gets an S without a dictionary


COINING = CoiningSettings()


@dataclass(frozen=True)
class EncoderSettings:
    """How the clue encoders learn. (Measured: docs/experiments/encoder-training.md.)"""

    epochs: int = 4
    continued_epochs: int = 2  # starting from the starter
    transformer_epochs: int = 2  # an hour each on two cores
    min_gain: float = 0.001  # nats of log loss that justify a new encoder: above rounding, below a year's gain; a guess
    negatives_per_batch: int = 2000  # wrong answers drawn, besides the right answers of the other clues
    even_share: float = 0.3  # share of these drawn evenly; the others by the root of their uses, as rivals are common
    gram_weight: float = 0.25  # of each letter n-gram in an answer's vector
    inherited_squares: float = 1.0  # initial sum of squares of an inherited table, whose rows therefore move less
    clue_half_life: float = 28.0  # years after which a clue counts half
    max_clue_age: int = 60  # years; older clues count as this old; a guess
    undated_clue_age: int = 20  # years; a guess
    rehearsed_share: float = 0.35  # weight of clues that the starter knows; a guess
    bag_rate: float = 1.0  # first step of Adagrad; 0.3 was far from done after five epochs, 2.5 diverged in the first
    last_bag_rate: float = 0.1
    feature_dropout: float = 0.3  # share of a clue's features left out each time
    network_rate: float = 2e-4  # of the transformer and the reader
    continued_network_rate: float = 1e-4
    answer_rate: float = 0.3
    token_dropout: float = 0.1  # share of a clue's tokens left out each time


ENCODERS = EncoderSettings()


@dataclass(frozen=True)
class ReaderSettings:
    """What the reader of clues and answers is trained on. (Measured: docs/experiments/reader.md.)"""

    training_clues: int = 400_000  # three hours on two cores
    answers_per_clue: int = 10  # choices per clue, including the right answer
    encoder_pool: int = 24  # answers drawn by the encoder, for its wrong ones and the one with most letters in common
    sampling_temperature: float = 1.7  # divides log odds before the draw, so that worse answers are drawn, too
    one_letter_share: float = 0.6  # share of changed strings with one changed letter; the others have two
    transformer_share: float = 0.8  # share in the initial weights; the rest is the pretrained network's
    scaling_clues: int = 2000  # clues on which the reader's weight is fitted
    known_letter_share: float = 0.6  # share of letters that are known in this fit
    listed_strings: int = 8  # wrong strings in this fit
    changed_strings: int = 4  # strings with a changed letter in this fit
    scale_penalty: float = 1e-3  # pull toward the default weight, in nats per clue


READER = ReaderSettings()


@dataclass(frozen=True)
class RankingSettings:
    """How ranking's weights and the reranker are fitted.

    Measured: docs/experiments/encoder-training.md, docs/experiments/reranker.md.
    """

    encoder_rivals: int = 300  # answers of each encoder in the fit; with only random rivals it becomes too sure
    ridge_penalty: float = 1e-3  # pull of a weight toward its default, nats per clue; matters only for rare features
    prior_missing: float = 0.005  # P(in no list) of the shortest answers before any clue; a guess
    min_missing: float = 1e-4  # least P(in no list); a guess
    length_prior_clues: int = 10  # clues that count as much as the shorter length's probability; a guess
    kind_prior_missing: int = 5  # missing answers of a class of clues that count as much as the factor 1; a guess
    rerank_clues: int = 20_000  # clues that the reranker learns from, besides the fit's clues
    reranker_epochs: int = 16
    clues_per_batch: int = 128
    learning_rate: float = 2e-3  # of the first step
    last_rate_share: float = 0.05  # as a share of the first rate
    weight_decay: float = 1e-3


RANKING = RankingSettings()


@dataclass(frozen=True)
class PhraseSettings:
    """How the phrase model is fitted. (Measured: docs/experiments/phrase-model.md.)"""

    max_rare_uses: int = 2  # of an answer that is learned from
    min_phrase_length: int = 6  # letters of a phrase
    max_answer_piece: int = 9  # letters of an answer that becomes a piece as it is
    max_rare_answers: int = 100_000  # rare answers that are learned from: a bound on time
    em_rounds: int = 8
    use_prior: float = 0.8  # pseudo-counts shared by a piece's use, as a share of all answers
    uniform_prior: float = 0.1  # the same, shared evenly
    min_examples: int = 300
    rounding_step: float = 1 / 8  # of probabilities, in nats; saves two thirds of the disk space
    share_prior_answers: int = 20  # new answers that count as much as the next shorter length
    lean_clues: int = 300  # clues on which the bias is fitted


PHRASES = PhraseSettings()
