"""Logs: what all probabilities come to, whose logs are given."""

import numpy as np
import pytest

from regis.models.arrays import logsumexp


@pytest.mark.parametrize("count", [0, 1, 2, 1000])
@pytest.mark.parametrize("besides", [-np.inf, -900.0, 3.0])
def test_what_logs_come_to_is_what_numpy_adds_one_by_one(count: int, besides: float) -> None:
    logs = np.random.default_rng(count).normal(-800, 30, count)  # whose powers are no numbers above 0 by themselves
    assert logsumexp(logs, besides) == pytest.approx(np.logaddexp.reduce(logs, initial=besides), abs=1e-9)


def test_nothing_comes_to_nothing() -> None:
    assert logsumexp(np.full(3, -np.inf)) == -np.inf
