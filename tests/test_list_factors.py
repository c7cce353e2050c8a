"""Lists weighed together give the same results as alone, and as answer by answer."""

import numpy as np
import pytest

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.puzzle import alphabet
from regis.solving.inference.list_factors import ListFactors
from regis.solving.settings import PROPAGATION


def task(length: int, sizes: tuple[int, ...]) -> tuple[list[CandidateList], np.ndarray, np.ndarray]:
    """Make lists of these sizes, messages to their slots, and the weight of unlisted answers."""
    generator = np.random.default_rng(length)
    lists = []
    for size in sizes:
        logp = np.sort(generator.normal(-6, 3, size))[::-1]
        letters = generator.integers(0, 26, (size, length)).astype(np.uint8)
        listed = CandidateList(letters, logp, 0.1, lambda i: ())
        lists.append(listed if size else unlisted(length))
    shape = len(sizes), length, 26
    return lists, -generator.exponential(3, shape), -generator.exponential(10, len(sizes))


def alone(among: CandidateList, incoming: np.ndarray, unlisted: float) -> tuple[float, np.ndarray]:
    """Weigh one slot, answer by answer."""
    score = [
        p + sum(incoming[i, x] for i, x in enumerate(row)) for row, p in zip(among.letters, among.logp, strict=True)
    ]
    letters = np.zeros(incoming.shape)
    if not score:
        return 0.0, letters
    likely = np.exp(score)
    for row, p in zip(among.letters, likely / likely.sum(), strict=True):
        letters[np.arange(len(row)), row] += p
    return likely.sum() / (likely.sum() + np.exp(among.log_missing + unlisted)), letters


@pytest.mark.parametrize("length", [2, 3, 5, 6])
@pytest.mark.parametrize("sizes", [(40,), (3, 0, 200), (0, 0), (0, 7, 1, 0)])
def test_lists_are_weighed_as_answer_by_answer(length: int, sizes: tuple[int, ...]):
    lists, incoming, unlisted = task(length, sizes)
    weighing = ListFactors(lists)
    for narrowed in (False, True):
        if narrowed:
            weighing.prune(incoming, range(len(lists)))
        listed, letters = weighing.marginals(incoming, unlisted, np.arange(len(lists)))
        for i, among in enumerate(lists):
            chance, counts = alone(among, incoming[i], unlisted[i])
            assert listed[i] == pytest.approx(chance, rel=1e-4) and letters[i] == pytest.approx(counts, abs=1e-4)


def test_answers_out_of_reach_return_when_whole_lists_are_scored():
    letters = np.array([alphabet.letter_codes("CAT"), alphabet.letter_codes("DOG")])
    among = CandidateList(letters, np.array([-0.1, -PROPAGATION.prune_nats - 5]), 0.01, lambda i: ())
    nothing, against = np.zeros((1, 3, 26)), np.zeros((1, 3, 26))
    against[0, 0, alphabet.letter_codes("C")] = -4 * PROPAGATION.prune_nats
    weighing, unlisted = ListFactors([among]), np.full(1, -99.0)
    weighing.prune(nothing, [0])
    assert weighing.marginals(against, unlisted, np.arange(1))[1][0, 1].argmax() == alphabet.letter_codes("A")
    weighing.prune(against, [0])
    assert weighing.marginals(against, unlisted, np.arange(1))[1][0, 1].argmax() == alphabet.letter_codes("O")
    assert weighing.top_answers(0, against[0], 0.5, 1) == (("DOG", pytest.approx(0.5)),)


def test_a_list_can_be_replaced():
    lists, incoming, unlisted = task(5, (30, 20, 10))
    other, *_ = task(5, (25,))
    weighing = ListFactors(lists)
    weighing.replace_list(1, other[0])
    weighing.prune(incoming, [0, 1, 2])
    again = ListFactors([lists[0], other[0], lists[2]])
    again.prune(incoming, [0, 1, 2])
    both = (one.marginals(incoming, unlisted, np.arange(3)) for one in (weighing, again))
    for found, wanted in zip(*both, strict=True):
        assert np.array_equal(found, wanted)


def test_some_lists_are_weighed_as_among_all():
    lists, incoming, unlisted = task(5, (30, 0, 20, 10))
    weighing = ListFactors(lists)
    for narrowed in (False, True):
        if narrowed:
            weighing.prune(incoming, range(4))
        whole = weighing.marginals(incoming, unlisted, np.arange(4))
        for places in (np.array([3]), np.array([0, 1, 3]), np.array([1]), np.array([0, 2])):
            for found, wanted in zip(
                weighing.marginals(incoming[places], unlisted[places], places), whole, strict=True
            ):
                assert np.array_equal(found, wanted[places])
