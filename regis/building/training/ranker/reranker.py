"""Learning to rerank (models.neural.reranker): a small network, on clues that the logit's weights were not fitted on.

The loss is that of the whole list: -log P(right answer), or of "in no list" where it was in none. Steps are Adam's
(Kingma 2015), written out, since the network has one hidden layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.neural.reranker import HIDDEN_WIDTH, RERANK_DEPTH, Reranker
from regis.models.numeric.arrays import Float32Array

TRAINING_EPOCHS = 16
CLUES_PER_BATCH = 128
LEARNING_RATE = 2e-3  # of the first step
LAST_RATE_SHARE = 0.05  # the last step's rate, as a share of the first's
WEIGHT_DECAY = 1e-3
MOMENT_SHARE = 0.1  # share of the gradients that each step adds to their running mean (AdamW, as usual)
SQUARED_MOMENT_SHARE = 0.001  # and of their squares
SEED = 2014
NOT_LISTED = -1  # place of a right answer that is in no list
NOT_AMONG_BEST = -2  # place of one that is not among the best


class RerankExample(NamedTuple):
    """One clue as the network sees it."""

    features: Float32Array  # (best, features)
    log_probs: Float32Array  # (best,), log probabilities among the listed answers
    list_summary: Float32Array
    p_missing: float  # P(in no list) before
    right_place: int  # among the best, or NOT_LISTED or NOT_AMONG_BEST


class _Batch(NamedTuple):
    """Clues side by side; lists shorter than RERANK_DEPTH end in answers of no probability."""

    features: Float32Array  # (clues, BEST, features)
    log_probs: Float32Array  # (clues, BEST)
    list_summary: Float32Array  # (clues, list_summary)
    log_rest: Float32Array  # (clues,), log probability of the answers that are not among the best
    log_missing: Float32Array  # (clues,), log P(in no list) before
    right_places: NDArray[np.int64]


def fit_reranker(examples: Sequence[RerankExample]) -> Reranker:
    """Train the network on the examples.

    Returns
    -------
    The reranker, for features as they are: standardised columns are folded into its weights.
    """
    stacked = _stack_examples(examples)
    answers = np.concatenate([np.column_stack([one.features, one.log_probs]) for one in examples[:2000]])
    mean, summary_mean = (_column_centres(table) for table in (answers, stacked.list_summary))
    spread, summary_spread = (table.std(axis=0, dtype=np.float32) + 1e-3 for table in (answers, stacked.list_summary))
    generator = np.random.default_rng(SEED)
    network = _initial_network(generator, stacked.features.shape[2])
    # what was never seen to vary says nothing, whatever it will be
    network["answer_weights"][np.ptp(answers, axis=0) == 0] = 0
    network["summary_weights"][np.ptp(stacked.list_summary, axis=0) == 0] = 0
    features = (stacked.features, mean[:-1], spread[:-1])
    for table, centre, width in (features, (stacked.list_summary, summary_mean, summary_spread)):
        table -= centre
        table /= width
    moments = {name: (np.zeros_like(values), np.zeros_like(values)) for name, values in network.items()}
    steps = TRAINING_EPOCHS * max(len(examples) // CLUES_PER_BATCH, 1)
    step = 0
    for _ in range(TRAINING_EPOCHS):
        order = generator.permutation(len(examples))
        for rows in np.array_split(order, max(len(examples) // CLUES_PER_BATCH, 1)):
            batch = _Batch._make(column[rows] for column in stacked)
            gradients = _loss_gradients(network, batch, mean[-1], spread[-1])
            rate = LEARNING_RATE * (1 - (1 - LAST_RATE_SHARE) * step / steps)
            step += 1
            for name, gradient in gradients.items():
                first, second = moments[name]
                first += MOMENT_SHARE * (gradient - first)
                second += SQUARED_MOMENT_SHARE * (gradient**2 - second)
                mean_square = second / (1 - (1 - SQUARED_MOMENT_SHARE) ** step)
                move = first / (1 - (1 - MOMENT_SHARE) ** step) / (np.sqrt(mean_square) + 1e-8)
                network[name] -= np.float32(rate) * (move + np.float32(WEIGHT_DECAY) * network[name])
    answer = network["answer_weights"] / spread[:, None]  # from here on for features as they are
    about = network["summary_weights"] / summary_spread[:, None]
    missing = network["missing_weights"] / summary_spread
    hidden = network["hidden_bias"] - mean @ answer - summary_mean @ about
    shift = network["missing_bias"] - summary_mean @ missing
    output = (network["output_weights"], network["output_bias"])
    return Reranker(answer, about, hidden, *output, missing, shift.astype(np.float32))


def _column_centres(table: Float32Array) -> Float32Array:
    """Return the mean of each column; of one that never varies its very value, which sums of rounded numbers miss."""
    mean: Float32Array = np.where(np.ptp(table, axis=0) == 0, table[0], table.mean(axis=0))
    return mean


def _stack_examples(examples: Sequence[RerankExample]) -> _Batch:
    count, width = len(examples), examples[0].features.shape[1]
    features = np.zeros((count, RERANK_DEPTH, width), np.float32)
    log_probs = np.full((count, RERANK_DEPTH), -100, np.float32)
    for row, example in enumerate(examples):
        features[row, : len(example.log_probs)] = example.features
        log_probs[row, : len(example.log_probs)] = example.log_probs
    list_summary = np.stack([one.list_summary for one in examples])
    right_places = np.array([one.right_place for one in examples])
    log_rest = np.log(np.maximum(1 - np.exp(log_probs.astype(np.float64)).sum(axis=1), 1e-7)).astype(np.float32)
    log_missing = np.log(np.array([one.p_missing for one in examples], np.float32))
    return _Batch(features, log_probs, list_summary, log_rest, log_missing, right_places)


def _initial_network(generator: np.random.Generator, feature_count: int) -> dict[str, Float32Array]:
    """Draw random weights into the hidden layer; nothing out of it, so that the first look changes nothing."""
    network = {name: np.zeros(shape, np.float32) for name, shape in Reranker.array_shapes(feature_count).items()}
    for name in ("answer_weights", "summary_weights"):
        bound = 1 / np.sqrt(len(network[name]))
        network[name][:] = generator.uniform(-bound, bound, network[name].shape)
    return network


def _loss_gradients(
    network: dict[str, Float32Array], batch: _Batch, mean: np.float32, spread: np.float32
) -> dict[str, Float32Array]:
    """Compute the gradient of the mean loss, in nats, along every array of the network."""
    count, best, width = batch.features.shape
    answers = np.concatenate([batch.features, (batch.log_probs[:, :, None] - mean) / spread], axis=2)
    context = batch.list_summary @ network["summary_weights"] + network["hidden_bias"]
    flat_answers = answers.reshape(-1, width + 1)
    hidden = (flat_answers @ network["answer_weights"]).reshape(count, best, HIDDEN_WIDTH) + context[:, None]
    np.maximum(hidden, 0, out=hidden)
    log_listed = np.log1p(-np.exp(batch.log_missing))
    score = batch.log_probs + hidden @ network["output_weights"] + network["output_bias"] + log_listed[:, None]
    beyond = batch.log_rest + log_listed
    missing = batch.log_missing + batch.list_summary @ network["missing_weights"] + network["missing_bias"]
    all_scores = np.concatenate([score, beyond[:, None], missing[:, None]], axis=1)
    p = np.exp(all_scores - all_scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    rows = np.arange(count)
    is_among_best = batch.right_places >= 0
    p[rows[is_among_best], batch.right_places[is_among_best]] -= 1
    p[batch.right_places == NOT_LISTED, -1] -= 1
    p /= count
    up, up_missing = p[:, :best], p[:, -1]
    down = up[:, :, None] * network["output_weights"] * (hidden > 0)
    flat = down.reshape(-1, HIDDEN_WIDTH)
    down_sums = down.sum(axis=1)
    return {
        "answer_weights": flat_answers.T @ flat,
        "summary_weights": batch.list_summary.T @ down_sums,
        "hidden_bias": down_sums.sum(axis=0),
        "output_weights": np.tensordot(up, hidden, axes=((0, 1), (0, 1))),
        "output_bias": up.sum(keepdims=True)[0],
        "missing_weights": batch.list_summary.T @ up_missing,
        "missing_bias": up_missing.sum(keepdims=True),
    }
