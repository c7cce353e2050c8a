"""Proposals of rebus squares: contents that the evidence (rebus.evidence) makes likely enough.

A content is the same both ways, is read from a sign, or is known already. In a grid without squares, it may also be one
thing across and another down.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from regis.models.arrays import Float64Array
from regis.puzzle import Cell, Direction
from regis.solving.rebus.evidence import (
    LOG_IMPOSSIBLE,
    MAX_CONTENT_LETTERS,
    ContentNumbers,
    ContentScores,
    RebusEvidence,
    content_lengths,
    decode_content,
)
from regis.solving.rebus.prices import SquareProposal
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    TWO_WAY_SIGN_CONTENTS,
    RebusSquares,
    canonical_content,
    content_along,
    swap_directions,
)


def propose_squares(evidence: RebusEvidence) -> list[SquareProposal]:
    """Propose squares of all kinds for a grid; none if its oddest cells hold nothing likely."""
    if evidence.squares:
        return [*_propose_contents(evidence), *_propose_known_contents(evidence)]
    if not is_promising(evidence):
        return []
    proposals = [*_propose_contents(evidence), *_propose_two_way_contents(evidence)]
    return [*proposals, *_weigh_contents(evidence, proposals)]


def _propose_contents(evidence: RebusEvidence) -> Iterator[SquareProposal]:
    """Propose contents that are the same both ways, or read from a sign."""
    min_square = evidence.settings.min_square
    for cell, by_slot in evidence.content_scores.items():
        numbers = np.unique(np.concatenate([scores.content_numbers for scores in by_slot.values()]))
        numbers = numbers[content_lengths(numbers) > 1]
        by_slots = np.sum([scores.log_odds(numbers) for scores in by_slot.values()], axis=0)
        log_odds = evidence.log_p_same_letter[cell] + by_slots
        for i in np.flatnonzero(log_odds > min_square).tolist():
            yield SquareProposal(cell, decode_content(int(numbers[i])), float(log_odds[i]))
        for content in TWO_WAY_SIGN_CONTENTS:
            if (sign_log_odds := evidence.log_odds_fast(cell, content)) > min_square:
                yield SquareProposal(cell, content, sign_log_odds)


def _propose_two_way_contents(evidence: RebusEvidence) -> Iterator[SquareProposal]:
    """Propose contents that differ across and down; if they have too few squares, only if they gain their price."""
    settings = evidence.settings
    pairs: dict[str, dict[Cell, float]] = defaultdict(dict)
    for cell, by_slot in evidence.content_scores.items():
        across, down, log_odds = _two_way_log_odds(evidence, cell, *by_slot.values())
        for i, j in np.argwhere(log_odds > settings.square).tolist():
            content = decode_content(int(across[i])) + CONTENT_SEPARATOR + decode_content(int(down[j]))
            pairs[canonical_content(content)][cell] = float(log_odds[i, j])
    gains = {content: sum(x.values()) - settings.square * len(x) for content, x in pairs.items()}
    for content in [content for content, x in pairs.items() if len(x) < settings.min_squares(content)]:
        if gains.pop(content) > settings.single_content_price(content):  # weighing all strings may find more of them
            yield from (SquareProposal(cell, content, x) for cell, x in pairs[content].items())
    for content in sorted(gains, key=lambda content: (-gains[content], content))[: settings.max_contents]:
        likely: list[tuple[Cell, list[str], float]] = []  # in both orders if these are equally likely
        for cell in evidence.content_scores:
            by_way = {way: evidence.log_odds_fast(cell, way) for way in (content, swap_directions(content))}
            if (best := max(by_way.values())) > settings.min_square:
                likely.append((cell, [way for way in by_way if by_way[way] > best - 1e-9], best))
        undecided = [(cell, way) for cell, ways, _ in likely if len(ways) > 1 for way in ways]
        evidence.collapsed_lists.prefetch(
            (slot, {cell: way}) for cell, way in undecided for slot, _ in evidence.slots_through[cell]
        )
        for cell, ways, best in likely:
            if evidence.collapsed_lists.is_late:
                return
            way = ways[0] if len(ways) == 1 else max(ways, key=lambda way: evidence.cell_log_odds(cell, way))
            yield SquareProposal(cell, way, best)


def _weigh_contents(evidence: RebusEvidence, proposals: Sequence[SquareProposal]) -> Iterator[SquareProposal]:
    """Weigh proposed contents that aren't worth their price yet, with all answers and strings of words.

    Most answers with a rebus are in no list, and unlikely letter by letter.
    """
    settings, gains, n_cells = evidence.settings, defaultdict[str, float](float), Counter[str]()
    for proposal in proposals:
        content = canonical_content(proposal.content)
        gains[content] += max(proposal.log_odds - settings.square, 0.0)
        n_cells[content] += 1
    for content in sorted(gains, key=lambda content: (-gains[content], content))[: settings.max_weighed]:
        is_paid = gains[content] > settings.single_content_price(content)
        if gains[content] < settings.content or (is_paid and n_cells[content] >= settings.min_squares(content)):
            continue
        ways = dict.fromkeys((content, swap_directions(content)))
        trials = [(evidence.log_odds_fast(cell, way), cell, way) for cell in evidence.content_scores for way in ways]
        likely = sorted((trial for trial in trials if trial[0] > -settings.min_surprise), reverse=True)
        likely = likely[: settings.max_weighed]
        evidence.collapsed_lists.prefetch(
            (slot, {cell: way}) for _, cell, way in likely for slot, _ in evidence.slots_through[cell]
        )
        if evidence.collapsed_lists.is_late:
            return
        yield from (SquareProposal(cell, way, evidence.cell_log_odds(cell, way)) for _, cell, way in likely)


def is_promising(evidence: RebusEvidence) -> bool:
    """Return whether a cell with two odd slots may hold something, using only a few of the longer lists.

    In a rebus square both slots are odd. The sum of the two would rank all cells of one very odd slot first, although
    its answer may only be unlisted.
    """
    slots = {cell: [slot for slot, _ in evidence.slots_through[cell]] for cell in evidence.log_p_same_letter}
    least_odd = {cell: max(evidence.slot_evidence[slot] for slot in slots[cell]) for cell in slots}
    oddest = sorted(slots, key=lambda cell: least_odd[cell])[: evidence.settings.max_odd_cells // 2]
    by_slot = evidence.score_slots({slot for cell in oddest for slot in slots[cell]})
    scores = {cell: [by_slot[slot][cell] for slot in slots[cell]] for cell in oddest if by_slot}
    return any(_is_promising_cell(evidence, cell, *both) for cell, both in scores.items())


def _is_promising_cell(evidence: RebusEvidence, cell: Cell, across: ContentScores, down: ContentScores) -> bool:
    """Return whether one content, or two that differ across and down, gain the price of contents."""
    price = evidence.settings.content
    numbers = np.concatenate([across.content_numbers, down.content_numbers])
    numbers = numbers[content_lengths(numbers) > 1]
    log_odds = evidence.log_p_same_letter[cell] + across.log_odds(numbers) + down.log_odds(numbers)
    if log_odds.max(initial=LOG_IMPOSSIBLE) > price:
        return True
    *_, two_way = _two_way_log_odds(evidence, cell, across, down)
    return bool(two_way.max(initial=LOG_IMPOSSIBLE) > 2 * price)


def _two_way_log_odds(
    evidence: RebusEvidence, cell: Cell, across: ContentScores, down: ContentScores
) -> tuple[ContentNumbers, ContentNumbers, Float64Array]:
    """Return the likeliest contents across, (k,), and down, (l,), and the log odds of each differing pair, (k, l)."""
    across_numbers, across_log_odds = across.best_contents(evidence.settings.max_contents)
    down_numbers, down_log_odds = down.best_contents(evidence.settings.max_contents)
    log_odds = evidence.log_p_same_letter[cell] + across_log_odds[:, None] + down_log_odds
    do_differ = across_numbers[:, None] != down_numbers
    return across_numbers, down_numbers, np.where(do_differ, log_odds, LOG_IMPOSSIBLE)


def known_contents(squares: RebusSquares) -> list[str]:
    """List the contents of squares, and their swapped twins, except longer ones that were given."""
    contents = {x for x in squares.values() if max(map(len, x.split(CONTENT_SEPARATOR))) <= MAX_CONTENT_LETTERS}
    return sorted(contents | set(map(swap_directions, contents)))


def _propose_known_contents(evidence: RebusEvidence) -> Iterator[SquareProposal]:
    """Propose each known content in each odd cell, unless hopeless; nothing if late.

    A slot gains at most its surprise. Longer lists are retrieved together; the second direction needs only the lists
    for what the first direction left.
    """
    contents = known_contents(evidence.squares)
    log_odds = {
        (cell, content): evidence.log_p_same_letter[cell]
        - sum(evidence.slot_evidence[slot] for slot, _ in evidence.slots_through[cell])
        for content in contents
        for cell in evidence.log_p_same_letter
    }
    for direction in Direction:
        slots = [slot for slot in evidence.odd_slots if slot.direction is direction]
        for length in sorted({len(content_along(content, direction)) for content in contents}):
            hopeful = [
                (slot, cell, content)
                for slot in slots
                for cell in slot.cells
                for content in contents
                if (cell, content) in log_odds and len(content_along(content, direction)) == length
            ]
            evidence.collapsed_lists.prefetch(
                (slot, {**evidence.squares, cell: content}) for slot, cell, content in hopeful
            )
            for slot, cell, content in hopeful:
                if evidence.collapsed_lists.is_late:
                    return
                log_odds[cell, content] += evidence.slot_evidence[slot] + evidence.slot_log_odds(slot, cell, content)
                if log_odds[cell, content] < evidence.settings.min_read_log_odds:
                    del log_odds[cell, content]
    evidence.collapsed_lists.prefetch(())  # too many lists to keep
    yield from (SquareProposal(cell, content, x) for (cell, content), x in log_odds.items())
