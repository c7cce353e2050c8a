"""Learning to rerank (regis.models.reranker): a small network, on clues that the logit's weights were not fitted on.

The loss is that of the whole list: -log P(right answer), or of "in no list" where it was in none. Steps are Adam's
(Kingma 2015), written out, since the network has one hidden layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.reranker import BEST, WIDTH, Reranker
from regis.models.tensors import Floats

EPOCHS = 16
BATCH = 128
RATE, LAST = 2e-3, 0.05  # how far a step goes at first, and which share of that the last one does
DECAY = 1e-3
NEW, NEW_SQUARES = 0.1, 0.001  # share of the slopes, and of their squares, that each step adds (AdamW, as usual)
SEED = 2014
NOWHERE, BEYOND = -1, -2  # places of a right answer that is in no list, and of one that is not among the best


class Seen(NamedTuple):
    """One clue as the network sees it."""

    features: Floats  # (best, features)
    logp: Floats  # (best,), log probabilities among the listed answers
    outlook: Floats
    missing: float  # P(in no list) before
    right: int  # place among the best, NOWHERE or BEYOND


class _Batch(NamedTuple):
    """Clues side by side; lists shorter than BEST end in answers of no probability."""

    features: Floats  # (clues, BEST, features)
    logp: Floats  # (clues, BEST)
    outlook: Floats  # (clues, outlook)
    rest: Floats  # (clues,), log probability of the answers that are not among the best
    missing: Floats  # (clues,), log P(in no list) before
    right: NDArray[np.int64]


def fit(seen: Sequence[Seen]) -> Reranker:
    """The network for clues as those that were `seen`."""
    whole = _stacked(seen)
    answers = np.concatenate([np.concatenate([one.features, one.logp[:, None]], axis=1) for one in seen[:2000]])
    mean, spread = _centre(answers), answers.std(axis=0, dtype=np.float32) + 1e-3
    about_mean, about_spread = _centre(whole.outlook), whole.outlook.std(axis=0, dtype=np.float32) + 1e-3
    generator = np.random.default_rng(SEED)
    network = _start(generator, whole.features.shape[2])
    network["answer"][np.ptp(answers, axis=0) == 0] = 0  # what was never seen to vary says nothing, whatever it will be
    network["about"][np.ptp(whole.outlook, axis=0) == 0] = 0
    for table, centre, width in ((whole.features, mean[:-1], spread[:-1]), (whole.outlook, about_mean, about_spread)):
        table -= centre
        table /= width
    moments = {name: (np.zeros_like(values), np.zeros_like(values)) for name, values in network.items()}
    steps = EPOCHS * max(len(seen) // BATCH, 1)
    step = 0
    for _ in range(EPOCHS):
        order = generator.permutation(len(seen))
        for some in np.array_split(order, max(len(seen) // BATCH, 1)):
            batch = _Batch._make(column[some] for column in whole)
            slopes = _slopes(network, batch, mean[-1], spread[-1])
            rate = RATE * (1 - (1 - LAST) * step / steps)
            step += 1
            for name, slope in slopes.items():
                first, second = moments[name]
                first += NEW * (slope - first)
                second += NEW_SQUARES * (slope**2 - second)
                move = first / (1 - (1 - NEW) ** step) / (np.sqrt(second / (1 - (1 - NEW_SQUARES) ** step)) + 1e-8)
                network[name] -= np.float32(rate) * (move + np.float32(DECAY) * network[name])
    answer = network["answer"] / spread[:, None]  # from here on for features as they are
    about = network["about"] / about_spread[:, None]
    missing = network["missing"] / about_spread
    hidden = network["hidden"] - mean @ answer - about_mean @ about
    shift = network["missing_shift"] - about_mean @ missing
    return Reranker(answer, about, hidden, network["out"], network["shift"], missing, shift.astype(np.float32))


def _centre(table: Floats) -> Floats:
    """The mean of each column; of one that never varies its very value, which sums of rounded numbers miss."""
    mean: Floats = np.where(np.ptp(table, axis=0) == 0, table[0], table.mean(axis=0))
    return mean


def _stacked(seen: Sequence[Seen]) -> _Batch:
    count, width = len(seen), seen[0].features.shape[1]
    features = np.zeros((count, BEST, width), np.float32)
    logp = np.full((count, BEST), -100, np.float32)
    for row, one in enumerate(seen):
        features[row, : len(one.logp)], logp[row, : len(one.logp)] = one.features, one.logp
    outlook = np.stack([one.outlook for one in seen])
    rest = np.log(np.maximum(1 - np.exp(logp.astype(np.float64)).sum(axis=1), 1e-7)).astype(np.float32)
    missing = np.log(np.array([one.missing for one in seen], np.float32))
    return _Batch(features, logp, outlook, rest, missing, np.array([one.right for one in seen]))


def _start(generator: np.random.Generator, features: int) -> dict[str, Floats]:
    """Random weights into the hidden layer; nothing out of it, so that the first look changes nothing."""
    network = {name: np.zeros(shape, np.float32) for name, shape in Reranker.shapes(features).items()}
    for name in ("answer", "about"):
        bound = 1 / np.sqrt(len(network[name]))
        network[name][:] = generator.uniform(-bound, bound, network[name].shape)
    return network


def _slopes(network: dict[str, Floats], batch: _Batch, mean: np.float32, spread: np.float32) -> dict[str, Floats]:
    """The slope of the mean loss along every array of the network."""
    count, best, width = batch.features.shape
    answers = np.concatenate([batch.features, (batch.logp[:, :, None] - mean) / spread], axis=2)
    around = batch.outlook @ network["about"] + network["hidden"]
    hidden = (answers.reshape(-1, width + 1) @ network["answer"]).reshape(count, best, WIDTH) + around[:, None]
    np.maximum(hidden, 0, out=hidden)
    listed = np.log1p(-np.exp(batch.missing))
    score = batch.logp + hidden @ network["out"] + network["shift"] + listed[:, None]
    beyond = batch.rest + listed
    missing = batch.missing + batch.outlook @ network["missing"] + network["missing_shift"]
    every = np.concatenate([score, beyond[:, None], missing[:, None]], axis=1)
    p = np.exp(every - every.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    rows = np.arange(count)
    found = batch.right >= 0
    p[rows[found], batch.right[found]] -= 1
    p[batch.right == NOWHERE, -1] -= 1
    p /= count
    up, up_missing = p[:, :best], p[:, -1]
    down = up[:, :, None] * network["out"] * (hidden > 0)
    flat = down.reshape(-1, WIDTH)
    beside = down.sum(axis=1)
    return {
        "answer": answers.reshape(-1, width + 1).T @ flat,
        "about": batch.outlook.T @ beside,
        "hidden": beside.sum(axis=0),
        "out": np.tensordot(up, hidden, axes=((0, 1), (0, 1))),
        "shift": up.sum(keepdims=True)[0],
        "missing": batch.outlook.T @ up_missing,
        "missing_shift": up_missing.sum(keepdims=True),
    }
