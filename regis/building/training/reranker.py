"""Training of the reranker (models.neural.reranker), on clues that the ranking weights weren't fitted on.

The loss is -log P(right answer), or of "in no list". Steps are Adam's (Kingma 2015), written out for the one hidden
layer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import RANKING
from regis.models.arrays import Float32Array
from regis.models.neural.reranker import HIDDEN_WIDTH, RERANK_DEPTH, Reranker

NOT_LISTED = -1  # position of a right answer that is in no list
NOT_AMONG_BEST = -2  # position of a right answer that isn't among the best
PADDING_LOG_PROB = -100.0  # of answers that pad a short list


class RerankExample(NamedTuple):
    features: Float32Array  # (best, features)
    log_probs: Float32Array  # (best,), log probabilities among the listed answers
    list_summary: Float32Array
    p_missing: float  # P(in no list) before reranking
    right_place: int  # among the best, or NOT_LISTED or NOT_AMONG_BEST


class ExampleBatch(NamedTuple):
    """Stacked clues; lists shorter than RERANK_DEPTH are padded with impossible answers."""

    features: Float32Array  # (clues, RERANK_DEPTH, features)
    log_probs: Float32Array  # (clues, RERANK_DEPTH)
    list_summary: Float32Array  # (clues, list_summary)
    log_rest: Float32Array  # (clues,), log probability of the answers that aren't among the best
    log_missing: Float32Array  # (clues,), log P(in no list) before reranking
    right_places: NDArray[np.int64]


def fit_reranker(examples: ExampleBatch) -> Reranker:
    """Train the network on standardized features, then fold these into its weights. Overwrites the examples."""
    log_probs = examples.log_probs[:2000, :, None]
    answers = np.concatenate([examples.features[:2000], log_probs], axis=2)
    answers = answers[log_probs[:, :, 0] != PADDING_LOG_PROB]
    mean, summary_mean = (_column_centers(table) for table in (answers, examples.list_summary))
    spread, summary_spread = (table.std(axis=0, dtype=np.float32) + 1e-3 for table in (answers, examples.list_summary))
    generator = np.random.default_rng(2014)
    network = _initial_network(generator, examples.features.shape[2])
    # a feature that never varied has no weight, even if it varies later
    network["answer_weights"][np.ptp(answers, axis=0) == 0] = 0
    network["summary_weights"][np.ptp(examples.list_summary, axis=0) == 0] = 0
    features = (examples.features, mean[:-1], spread[:-1])
    for table, center, width in (features, (examples.list_summary, summary_mean, summary_spread)):
        table -= center
        table /= width
    moments = {name: (np.zeros_like(values), np.zeros_like(values)) for name, values in network.items()}
    steps = RANKING.reranker_epochs * max(len(examples.features) // RANKING.clues_per_batch, 1)
    step = 0
    for _ in range(RANKING.reranker_epochs):
        order = generator.permutation(len(examples.features))
        for rows in np.array_split(order, max(len(examples.features) // RANKING.clues_per_batch, 1)):
            batch = ExampleBatch._make(column[rows] for column in examples)
            gradients = _loss_gradients(network, batch, mean[-1], spread[-1])
            rate = RANKING.learning_rate * (1 - (1 - RANKING.last_rate_share) * step / steps)
            step += 1
            for name, gradient in gradients.items():
                first, second = moments[name]
                first += 0.1 * (gradient - first)
                second += 0.001 * (gradient**2 - second)
                mean_square = second / (1 - (1 - 0.001) ** step)
                move = first / (1 - (1 - 0.1) ** step) / (np.sqrt(mean_square) + 1e-8)
                network[name] -= np.float32(rate) * (move + np.float32(RANKING.weight_decay) * network[name])
    answer = network["answer_weights"] / spread[:, None]  # from here on for features that aren't standardized
    about = network["summary_weights"] / summary_spread[:, None]
    missing = network["missing_weights"] / summary_spread
    hidden = network["hidden_bias"] - mean @ answer - summary_mean @ about
    shift = network["missing_bias"] - summary_mean @ missing
    output = (network["output_weights"], network["output_bias"])
    return Reranker(answer, about, hidden, *output, missing, shift.astype(np.float32))


def _column_centers(table: Float32Array) -> Float32Array:
    """Return each column's mean; for a constant column its exact value, which rounded sums miss."""
    mean: Float32Array = np.where(np.ptp(table, axis=0) == 0, table[0], table.mean(axis=0))
    return mean


def stack_examples(examples: Iterable[RerankExample]) -> ExampleBatch:
    """Stack examples as they arrive; together they take half a gigabyte."""
    examples = iter(examples)
    first = next(examples)
    shapes = {"features": (RERANK_DEPTH, first.features.shape[1]), "log_probs": (RERANK_DEPTH,)}
    shapes |= {"list_summary": first.list_summary.shape, "p_missing": ()}
    row_type = np.dtype([*((name, np.float32, shape) for name, shape in shapes.items()), ("right_place", np.int64)])
    table = np.fromiter(map(_pad_example, itertools.chain([first], examples)), row_type)
    log_probs, list_summary = (np.ascontiguousarray(table[name]) for name in ("log_probs", "list_summary"))
    log_rest = np.log(np.maximum(1 - np.exp(log_probs.astype(np.float64)).sum(axis=1), 1e-7)).astype(np.float32)
    places = table["right_place"]
    return ExampleBatch(table["features"], log_probs, list_summary, log_rest, np.log(table["p_missing"]), places)


def _pad_example(example: RerankExample) -> RerankExample:
    missing = RERANK_DEPTH - len(example.log_probs)
    log_probs = np.pad(example.log_probs, (0, missing), constant_values=PADDING_LOG_PROB)
    return example._replace(features=np.pad(example.features, ((0, missing), (0, 0))), log_probs=log_probs)


def _initial_network(generator: np.random.Generator, feature_count: int) -> dict[str, Float32Array]:
    """Draw random hidden weights, and zero output weights, so that the first adjustments are zero."""
    network = {name: np.zeros(shape, np.float32) for name, shape in Reranker.array_shapes(feature_count).items()}
    for name in ("answer_weights", "summary_weights"):
        bound = 1 / np.sqrt(len(network[name]))
        network[name][:] = generator.uniform(-bound, bound, network[name].shape)
    return network


def _loss_gradients(
    network: dict[str, Float32Array], batch: ExampleBatch, mean: np.float32, spread: np.float32
) -> dict[str, Float32Array]:
    """Compute the gradients of the mean loss, in nats."""
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
