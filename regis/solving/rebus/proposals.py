"""What may be added to the rebus squares of a grid: contents that the evidence (rebus.evidence) makes likely enough.

They are the same across and down, or read of a sign, or known already, in several squares of a slot at once too; or, in
a grid without any squares yet, one across and another down.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from regis.models.numeric.arrays import Float64Array
from regis.models.numeric.log_space import logsumexp
from regis.puzzle import Cell, Direction, Slot
from regis.solving.rebus.content_scores import (
    LOG_IMPOSSIBLE,
    LOG_UNLISTED_LETTER,
    MAX_CONTENT_LETTERS,
    ContentNumbers,
    ContentScores,
    cell_loglik,
    content_lengths,
    decode_content,
    encode_content,
)
from regis.solving.rebus.evidence import LIST_DEPTH, RebusEvidence
from regis.solving.rebus.prices import PriceSettings, SquareProposal
from regis.solving.rebus.signs import TWO_WAY_SIGN_CONTENTS
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    RebusSquares,
    canonical_content,
    cell_contents,
    cell_offsets,
    content_along,
    swap_directions,
)

TIE_TOLERANCE = 1e-9  # up to which two sums of natural logs are the same


@dataclass(frozen=True)
class ProposalSettings:
    """Which squares and contents are looked at, and what they cost. (Measured: docs/experiments/rebus-search.md)"""

    prices: PriceSettings = PriceSettings()
    max_shortfall_to_read: float = 6.0  # nats that a square may fail to be worth its price to be read. A guess

    max_likely_cells: int = 6  # cells of a slot, the likeliest, that may hold a known content
    max_cells_at_once: int = 3  # and how many of them at once

    max_first_cells: int = 24  # how many squares are looked at first, of those that are looked at,
    min_content_log_odds: float = 5.0
    min_two_way_log_odds: float = 12.0
    """and how much likelier must a content make one of them, or another across than down, for more to be looked at? In
    natural log."""

    max_contents_per_slot: int = 30  # contents of each direction that are put together in a square, the likeliest
    max_two_way_contents: int = 20  # such pairs that are looked at in all squares, the best

    max_weighed_contents: int = 4
    min_weighed_gain: float = 5.0
    max_weighed_cells: int = 8
    min_weighed_log_odds: float = -8.0
    """How many contents, the likeliest, are weighed by strings of words, too, before there are squares; how many nats
    must each gain by lists alone; in how many cells, the likeliest, and from which log odds there?"""

    clear_multiple: float = 2.0
    """How many times what a rebus of such a pair costs must fewer squares than it needs be worth, for all others to be
    looked at?"""

    @property
    def min_read_log_odds(self) -> float:
        """Return the log odds below which a known content is not even read in a square."""
        return self.prices.min_square - self.max_shortfall_to_read


def propose_contents(
    evidence: RebusEvidence, settings: ProposalSettings = ProposalSettings()
) -> Iterator[SquareProposal]:
    """Propose contents that are the same across and down, read of a sign, or known; not all if the time is up."""
    for cell, by_slot in evidence.content_scores.items():
        numbers = np.unique(np.concatenate([scores.content_numbers for scores in by_slot.values()]))
        numbers = numbers[content_lengths(numbers) > 1]
        by_slots = np.sum([scores.log_odds(numbers) for scores in by_slot.values()], axis=0)
        log_odds = evidence.log_p_same_letter[cell] + by_slots
        for i in np.flatnonzero(log_odds > settings.prices.min_square).tolist():
            yield SquareProposal((cell,), decode_content(int(numbers[i])), float(log_odds[i]))
        for content in TWO_WAY_SIGN_CONTENTS:
            if (sign_log_odds := evidence.log_odds_fast(cell, content)) > settings.prices.min_square:
                yield SquareProposal((cell,), content, sign_log_odds)
    for (cell, content), known_log_odds in _known_content_log_odds(evidence, settings).items():
        yield SquareProposal((cell,), content, known_log_odds)
    for content in _known_contents(evidence.squares):
        for slot in evidence.odd_slots:
            if evidence.longer_lists.is_late:
                return
            yield from _propose_in_slot(evidence, slot, content, settings)


def weigh_contents(
    evidence: RebusEvidence, proposals: Sequence[SquareProposal], settings: ProposalSettings = ProposalSettings()
) -> Iterator[SquareProposal]:
    """Weigh contents that are proposed and not worth their price yet by all answers and all strings of words.

    What a rebus makes of an answer is mostly in no list, and letter by letter hardly likely. None once there are
    squares, whose contents are weighed so anyway.
    """
    if evidence.squares:
        return
    prices, gains, n_cells = settings.prices, defaultdict[str, float](float), Counter[str]()
    for proposal in proposals:
        content = canonical_content(proposal.content)
        gains[content] += max(proposal.log_odds - prices.square * len(proposal.cells), 0.0)
        n_cells[content] += 1
    for content in sorted(gains, key=lambda content: (-gains[content], content))[: settings.max_weighed_contents]:
        gain = gains[content]
        is_worth_it = gain > prices.single_content_price(content) and n_cells[content] >= prices.min_squares(content)
        if gain < settings.min_weighed_gain or is_worth_it:
            continue
        ways = dict.fromkeys((content, swap_directions(content)))
        trials = [(evidence.log_odds_fast(cell, way), cell, way) for cell in evidence.content_scores for way in ways]
        likely = sorted((trial for trial in trials if trial[0] > settings.min_weighed_log_odds), reverse=True)
        likely = likely[: settings.max_weighed_cells]
        evidence.collapsed_lists.prefetch(
            (slot, {cell: way}) for _, cell, way in likely for slot, _ in evidence.slots_through[cell]
        )
        if evidence.longer_lists.is_late:
            return
        yield from (SquareProposal((cell,), way, evidence.cell_log_odds(cell, way)) for _, cell, way in likely)


def propose_two_way_contents(
    evidence: RebusEvidence, settings: ProposalSettings = ProposalSettings()
) -> Iterator[SquareProposal]:
    """Propose contents that differ across and down; none once there are squares.

    Those of too few squares are worth nothing as they are (PriceSettings.min_squares), and may be weighed.
    """
    if evidence.squares:
        return
    pairs: dict[str, dict[Cell, SquareProposal]] = defaultdict(dict)
    for cell, by_slot in evidence.content_scores.items():
        across, down, log_odds = _two_way_log_odds(evidence, settings, cell, *by_slot.values())
        for i, j in np.argwhere(log_odds > settings.prices.square).tolist():
            content = decode_content(int(across[i])) + CONTENT_SEPARATOR + decode_content(int(down[j]))
            pairs[canonical_content(content)][cell] = SquareProposal((cell,), content, float(log_odds[i, j]))
    gains = {
        content: sum(x.log_odds - settings.prices.square for x in by_cell.values())
        for content, by_cell in pairs.items()
    }
    enough = [
        content
        for content, by_cell in pairs.items()
        if len(by_cell) >= settings.prices.min_squares(content)
        or gains[content] > settings.clear_multiple * settings.prices.single_content_price(content)
    ]
    for content, by_cell in pairs.items():
        if gains[content] > settings.prices.single_content_price(content) and content not in enough:
            yield from by_cell.values()
    for content in sorted(enough, key=lambda content: (-gains[content], content))[: settings.max_two_way_contents]:
        likely: list[tuple[Cell, list[str], float]] = []  # both ways round where they are as likely
        for cell in evidence.content_scores:
            by_way = {way: evidence.log_odds_fast(cell, way) for way in (content, swap_directions(content))}
            if (best := max(by_way.values())) > settings.prices.min_square:
                likely.append((cell, [way for way in by_way if by_way[way] > best - TIE_TOLERANCE], best))
        undecided = [(cell, way) for cell, ways, _ in likely if len(ways) > 1 for way in ways]
        evidence.collapsed_lists.prefetch(
            (slot, {cell: way}) for cell, way in undecided for slot, _ in evidence.slots_through[cell]
        )
        for cell, ways, best in likely:
            if evidence.longer_lists.is_late:
                return
            way = ways[0] if len(ways) == 1 else max(ways, key=lambda way: evidence.cell_log_odds(cell, way))
            yield SquareProposal((cell,), way, best)


def is_promising(evidence: RebusEvidence, settings: ProposalSettings = ProposalSettings()) -> bool:
    """Return whether a cell with two odd slots may hold something, for which few of the longer lists are needed.

    Where there are rebus squares, one of them is among those cells: both its slots are odd. By the sum of both,
    all cells of one slot that is very odd would come first, whose answer may only be in no list.
    """
    assert not evidence.squares, "where there are some, more are looked for"
    slots = {cell: [slot for slot, _ in evidence.slots_through[cell]] for cell in evidence.log_p_same_letter}
    least_odd = {cell: max(evidence.slot_evidence[slot] for slot in slots[cell]) for cell in slots}
    oddest = sorted(slots, key=lambda cell: least_odd[cell])[: settings.max_first_cells]
    by_slot = evidence.score_slots({slot for cell in oddest for slot in slots[cell]})
    scores = {cell: [by_slot[slot][cell] for slot in slots[cell]] for cell in oddest if by_slot}
    return any(_is_promising_cell(evidence, settings, cell, *both) for cell, both in scores.items())


def _is_promising_cell(
    evidence: RebusEvidence, settings: ProposalSettings, cell: Cell, across: ContentScores, down: ContentScores
) -> bool:
    """Return whether a content makes the cell likely enough, or one across and another down do."""
    numbers = np.concatenate([across.content_numbers, down.content_numbers])
    numbers = numbers[content_lengths(numbers) > 1]
    log_odds = evidence.log_p_same_letter[cell] + across.log_odds(numbers) + down.log_odds(numbers)
    if log_odds.max(initial=LOG_IMPOSSIBLE) > settings.min_content_log_odds:
        return True
    *_, two_way = _two_way_log_odds(evidence, settings, cell, across, down)
    return bool(two_way.max(initial=LOG_IMPOSSIBLE) > settings.min_two_way_log_odds)


def _two_way_log_odds(
    evidence: RebusEvidence, settings: ProposalSettings, cell: Cell, across: ContentScores, down: ContentScores
) -> tuple[ContentNumbers, ContentNumbers, Float64Array]:
    """Return the likeliest contents across, (k,), and down, (l,), and the log odds of each two that differ, (k, l)."""
    across_numbers, across_log_odds = across.best_contents(settings.max_contents_per_slot)
    down_numbers, down_log_odds = down.best_contents(settings.max_contents_per_slot)
    log_odds = evidence.log_p_same_letter[cell] + across_log_odds[:, None] + down_log_odds
    do_differ = across_numbers[:, None] != down_numbers
    return across_numbers, down_numbers, np.where(do_differ, log_odds, LOG_IMPOSSIBLE)


def _known_contents(squares: RebusSquares) -> list[str]:
    """List the contents that squares have already, and their swapped twins, but for longer ones that were given."""
    contents = {x for x in squares.values() if max(map(len, x.split(CONTENT_SEPARATOR))) <= MAX_CONTENT_LETTERS}
    return sorted(contents | set(map(swap_directions, contents)))


def _known_content_log_odds(
    evidence: RebusEvidence, settings: ProposalSettings = ProposalSettings()
) -> dict[tuple[Cell, str], float]:
    """Return the log odds of each known content in each odd cell, unless hopeless; nothing where the time is up.

    A slot gains at most what it surprises. Lists of longer answers are asked for together, and in the second
    direction only those for what the first left.
    """
    log_odds = {
        (cell, content): evidence.log_p_same_letter[cell]
        - sum(evidence.slot_evidence[slot] for slot, _ in evidence.slots_through[cell])
        for content in _known_contents(evidence.squares)
        for cell in evidence.log_p_same_letter
    }
    for direction, contents in _contents_by_length(evidence.squares):
        slots = [slot for slot in evidence.odd_slots if slot.direction is direction]
        trials = ((slot, cell, content) for slot in slots for cell in slot.cells for content in contents)
        hopeful = [(slot, cell, content) for slot, cell, content in trials if (cell, content) in log_odds]
        evidence.collapsed_lists.prefetch(
            (slot, {**evidence.squares, cell: content}) for slot, cell, content in hopeful
        )
        for slot, cell, content in hopeful:
            if evidence.longer_lists.is_late:
                return {}
            log_odds[cell, content] += evidence.slot_evidence[slot] + evidence.slot_log_odds(slot, cell, content)
            if log_odds[cell, content] < settings.min_read_log_odds:
                del log_odds[cell, content]
    evidence.collapsed_lists.prefetch(())  # so many lists need not be kept
    return log_odds


def _contents_by_length(squares: RebusSquares) -> Iterator[tuple[Direction, list[str]]]:
    """Yield, direction by direction, the known contents of one length there, which need the same lists."""
    for direction in Direction:
        by_length: dict[int, list[str]] = defaultdict(list)
        for content in _known_contents(squares):
            by_length[len(content_along(content, direction))].append(content)
        yield from ((direction, contents) for contents in by_length.values())


def _propose_in_slot(
    evidence: RebusEvidence, slot: Slot, content: str, settings: ProposalSettings
) -> Iterator[SquareProposal]:
    """Propose several cells of one slot with a known content, where that may be worth the least price."""
    crossing_log_odds = {
        cell: evidence.log_p_same_letter[cell]
        + sum(
            float(scores.log_odds(encode_content(content, other))[0])
            for other, scores in evidence.content_scores[cell].items()
            if other != slot
        )
        for cell in slot.cells
        if cell in evidence.content_scores
    }
    unlisted_content = len(content_along(content, slot.direction)) * LOG_UNLISTED_LETTER
    likely = sorted(sorted(crossing_log_odds, key=lambda cell: -crossing_log_odds[cell])[: settings.max_likely_cells])
    for n_cells in range(2, settings.max_cells_at_once + 1):
        for cells in combinations(likely, n_cells):
            crossing = sum(crossing_log_odds[cell] for cell in cells)
            if crossing - evidence.slot_evidence[slot] < settings.prices.min_square * n_cells:
                continue
            contents = cell_contents(slot, {**evidence.squares, **dict.fromkeys(cells, content)})
            offsets = cell_offsets(contents)
            letters, logp = evidence.longer_lists.get_list((slot, offsets[-1]), LIST_DEPTH)
            messages = evidence.log_messages[slot]
            logliks = (cell_loglik(letters, offsets[i], messages[i], x) for i, x in enumerate(contents))
            unlisted = evidence.unlisted_log_odds(slot) + sum(
                unlisted_content - evidence.log_p_same_letter[cell] for cell in cells
            )
            slot_log_odds = logsumexp(logp + sum(logliks) - evidence.slot_evidence[slot], unlisted)
            yield SquareProposal(cells, content, slot_log_odds + crossing)
