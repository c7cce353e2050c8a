"""The numbers of building and learning that were fitted or chosen: what each is, in what, and where it was measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ListSettings:
    """What words of lists are worth, and which are kept. (Measured: docs/experiments/word-lists.md.)"""

    nats_per_score: float = 4.0  # nats of how often words come up, in one unit of their scores
    usual_score: float = 0.5  # of a word of which nothing is said
    min_score: float = -3.0
    max_score: float = 1.0
    smallest_score: float = 0.001  # smallest valid score; 0 means unlisted
    odd_share: float = 0.05  # share of used answers that are odder; a word with fewer counts for less; a guess
    min_plausibility: float = 0.001  # what a word counts that is odder than all of them; a guess
    prior_strength: float = 3.0  # new answers that count as much as the prior of a group of lists, or of a length
    max_listed: int = 300_000  # strings that only lists have, the likeliest first: disk for rare answers
    min_listed_score: float = -0.25  # of such strings; one comes up a twentieth as often as a usual word
    max_label_years: int = 8  # newest years whose new answers are learned from; at most half of all there are
    ridge_penalty: float = 3.0  # pull of the weights toward 0, in new answers

    min_unused_score: float = 0.36
    """Score below which a word without a clue isn't in the starter: more than half of them. What strings, vectors, and
    old clues are worth for their megabytes: docs/experiments/starter-size.md."""


LISTS = ListSettings()


@dataclass(frozen=True)
class CoiningSettings:
    """Which answers are coined, and their scores. (Measured: docs/experiments/coined-answers.md.)"""

    common_in_pairs: int = 40  # commonest words, in no pair unless it is frequent
    common_in_triples: int = 10  # commonest words, which neither begin nor end a triple
    pair_score: float = 0.4  # of a pair found twice
    common_pair_score: float = 0.25  # of one with a common word found twice
    once_pair_score: float = 0.2  # of one found once
    triple_score: float = 0.4  # of three words found together three times
    twice_triple_score: float = 0.15  # of three found twice
    min_productivity: int = 30  # of a rare pair: answers with its first word, times answers with its second
    min_word_count: int = 5  # uses in clues of each word of an answer that is cut in two
    inflected_score: float = 0.5  # of a known answer in another form that a dictionary has
    plural_score: float = 0.15  # of a known answer with an S
    particle_score: float = 0.7  # of TIMEDOUT where TIMEOUT is known
    min_plural_uses: int = 3  # of an answer that gets an S without a dictionary


COINING = CoiningSettings()


@dataclass(frozen=True)
class EncoderSettings:
    """How the encoders of clues learn. (Measured: docs/experiments/encoder-training.md.)"""

    epochs: int = 4
    continued_epochs: int = 2  # from the starter on
    transformer_epochs: int = 2  # an hour each on two cores
    min_gain: float = 0.001  # nats of log loss to keep what was learned: above rounding, below a year's gain; a guess
    negatives_per_batch: int = 2000  # wrong answers drawn, besides the right ones of the other clues
    even_share: float = 0.3  # of those drawn evenly; the others by the root of their uses, as common answers are rivals
    gram_weight: float = 0.25  # of each letter gram in an answer's vector
    inherited_squares: float = 1.0  # with which a table from elsewhere begins: its rows move less
    clue_half_life: float = 28.0  # years after which a clue counts half
    max_clue_age: int = 60  # years; older clues count as this old; a guess
    undated_clue_age: int = 20  # years; a guess
    rehearsed_share: float = 0.35  # weight of clues that the starter knows; a guess
    bag_rate: float = 1.0  # first step of Adagrad; 0.3 was far from done after five epochs, 2.5 fell apart in the first
    last_bag_rate: float = 0.1
    feature_dropout: float = 0.3  # share of a clue's features left out each time
    network_rate: float = 2e-4  # of the transformer and the reader
    continued_network_rate: float = 1e-4
    answer_rate: float = 0.3
    token_dropout: float = 0.1  # share of a clue's tokens left out each time


ENCODERS = EncoderSettings()


@dataclass(frozen=True)
class ReaderSettings:
    """What the reader of clues and answers learns from. (Measured: docs/experiments/reader.md.)"""

    training_clues: int = 400_000  # three hours on two cores
    answers_per_clue: int = 10  # to choose from, the right one among them
    encoder_pool: int = 24  # answers drawn by the encoder, for its wrong ones and the one with most letters alike
    sampling_temperature: float = 1.7  # divides log odds before the draw, so that not only the best are drawn
    one_letter_share: float = 0.6  # of changed strings with one letter changed, not two
    transformer_share: float = 0.8  # of the first weights; the rest is the pretrained network's
    scaling_clues: int = 2000  # on which the reader's weight is fitted
    known_letter_share: float = 0.6  # of the letters there
    listed_strings: int = 8  # beside the right one there
    changed_strings: int = 4  # there, with a letter changed
    scale_penalty: float = 1e-3  # pull toward the default weight, in nats a clue


READER = ReaderSettings()


@dataclass(frozen=True)
class RankingSettings:
    """How ranking's weights and the reranker are fitted.

    Measured: docs/experiments/encoder-training.md, docs/experiments/reranker.md.
    """

    encoder_rivals: int = 300  # answers of each encoder in the fit: with random rivals alone it becomes too sure
    ridge_penalty: float = 1e-3  # pull of a weight toward its default, nats a clue; matters only for rare features
    prior_missing: float = 0.005  # P(in no list) of the shortest answers before any clue; a guess
    min_missing: float = 1e-4  # least P(in no list); a guess
    length_prior_clues: int = 10  # that count as much as the shorter length's probability; a guess
    kind_prior_missing: int = 5  # missing answers of a class of clues that count as much as the factor 1; a guess
    rerank_clues: int = 20_000  # that the reranker learns from, besides those of the fit
    reranker_epochs: int = 16
    clues_per_batch: int = 128
    learning_rate: float = 2e-3  # of the first step
    last_rate_share: float = 0.05  # of the first rate
    weight_decay: float = 1e-3


RANKING = RankingSettings()


@dataclass(frozen=True)
class PhraseSettings:
    """How the phrase model is fitted. (Measured: docs/experiments/phrase-model.md.)"""

    max_rare_uses: int = 2  # of an answer that is learned from
    min_phrase_length: int = 6  # letters of one
    max_answer_piece: int = 9  # letters of an answer that becomes a piece as it is
    max_rare_answers: int = 100_000  # that are learned from: a bound on time
    em_rounds: int = 8
    use_prior: float = 0.8  # pseudo-counts shared out by a piece's use, as a share of all answers
    uniform_prior: float = 0.1  # and evenly
    min_examples: int = 300
    rounding_step: float = 1 / 8  # of chances, in nats: a third of the disk
    share_prior_answers: int = 20  # new answers that count as much as the next shorter length
    lean_clues: int = 300  # on which the lean is fitted


PHRASES = PhraseSettings()
