"""A solved puzzle as one JSON object on one line; programs rely on its keys (docs/programs.md).

Only ASCII is written, so that a line is safe in any encoding and terminal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from regis.candidates.candidate_list import Candidate
from regis.index import Index
from regis.index.tables import schema
from regis.puzzle import Cell, Direction
from regis.solving import hint as hints
from regis.solving.explanation import ExplainedCandidate, Explanation
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.solving.state import Assumption
from regis.system.terminal import Screen

MODEL_PARTS = (schema.ENCODER, schema.TRANSFORMER, schema.CROSS_ENCODER)  # what an index may have learned


def render(solved: SolvedPuzzle, file_name: str, screen: Screen) -> str:
    """Render the puzzle as an object: cells and confidence are rows, null for a block; an empty cell is "" with
    confidence 0."""
    puzzle, fill = solved.puzzle, solved.fill

    def cell_confidence(cell: Cell) -> float | None:
        return _round(fill.confidence.get(cell, 0.0)) if fill.cells.get(cell) else 0

    return json_line(
        {
            "file": file_name,
            "title": puzzle.title,
            "author": puzzle.author,
            "copyright": puzzle.copyright,
            "notes": puzzle.notes,
            "circles": sorted(puzzle.circles),
            "shaded": sorted(puzzle.shaded),
            "bars": sorted(puzzle.grid.bars),
            "cells": puzzle.grid.map_cells(lambda cell: fill.cells.get(cell, ""), None),
            "confidence": puzzle.grid.map_cells(cell_confidence, None),
            "hardly_explained": solved.is_hardly_explained,
            "unexplained_share": _round(solved.unexplained_share),
            "unchecked_squares": sorted(solved.unchecked_cells & solved.answer_cells),
            "assumptions": _assumptions_json(solved.assumptions),
            "two_answers": {str(x.slot): [x.first_answer, x.second_answer] for x in solved.two_answer_entries},
            "entries": [_entry_json(answer) for answer in solved.answers],
            "filler": solved.filler,
            "seconds": round(solved.seconds, 3),
            "timed_out": solved.is_out_of_time,
            "index": solved.index_fingerprint,
        }
    )


def encode_guess(
    clue: str, pattern: str, candidates: Sequence[Candidate], missing_probability: float, index_fingerprint: str
) -> str:
    return json_line(
        {
            "clue": clue,
            "pattern": pattern,
            "candidates": [_candidate_json(candidate) for candidate in candidates],
            "missing_probability": _round(missing_probability),
            "index": index_fingerprint,
        }
    )


def encode_index(index: Index) -> str:
    """Render what an index contains and where it comes from."""
    manifest = index.manifest
    return json_line(
        {
            "folder": str(index.folder),
            "index": manifest.fingerprint,
            "format": manifest.format_version,
            "regis": manifest.regis,
            "created": manifest.created,
            "size": sum(manifest.files.values()),
            "latest_year": manifest.latest_year,
            "held_out": manifest.held_out,
            "starter": manifest.starter,
            "begun_on": manifest.begun,
            "without_clues": manifest.without_clues,
            "models": [name for name in MODEL_PARTS if manifest.has_part(name)],
            "answer_count": manifest.answer_count,
            "clue_count": manifest.clue_count,
            "lengths": {
                length: {"answer_count": manifest.answer_count_of_length(length), "clue_count": rows["clues"]}
                for length, rows in manifest.lengths.items()
            },
            "sources": [asdict(record) for record in (*manifest.sources, *manifest.added)],
            "layers": [asdict(layer) for layer in manifest.layers],
        }
    )


def render_check(solved: SolvedPuzzle, file_name: str) -> str:
    """Render which of the person's letters are probably wrong; rows and columns count from 0."""
    check, given = solved.given_check, solved.puzzle.given
    wrong = [
        {"row": r, "column": c, "letter": given[r, c], "probability_right": _round(p)}
        for (r, c), p in check.doubted_letters.items()
    ]
    return json_line(
        {
            "file": file_name,
            "written_count": check.n_checked + check.n_skipped + check.n_late,
            "checked_count": check.n_checked,
            "timed_out": check.n_late > 0,
            "wrong": wrong,
        }
    )


def render_hint(solved: SolvedPuzzle, file_name: str) -> str:
    """Render one letter, or a few answers to one entry; `entry` is null without a hint."""
    hint = hints.find_hint(solved)
    row, column = hint.cell if hint and hint.cell else (None, None)
    return json_line(
        {
            "file": file_name,
            "entry": str(hint.slot) if hint else None,
            "row": row,
            "column": column,
            "letter": hint.letter if hint else "",
            "answers": list(hint.answers) if hint else [],
            "probability": _round(hint.probability) if hint else 0.0,
        }
    )


def encode_explanation(explanation: Explanation, file_name: str) -> str:
    """Render why an entry was filled as it was."""
    candidates = [
        {**_candidate_json(x), "clue_probability": _round(x.clue_probability), "clue_rank": x.clue_rank}
        for x in explanation.candidates
    ]
    squares = [
        {
            "row": square.cell[0],
            "column": square.cell[1],
            "letter": square.letter,
            "written_letter": square.written_letter,
            "crossing_entry": str(square.crossing_answer.slot) if square.crossing_answer else None,
            "letter_probabilities": [[letter, _round(p)] for letter, p in square.letter_probabilities],
        }
        for square in explanation.squares
    ]
    return json_line(
        {
            "file": file_name,
            **_entry_json(explanation.answer),
            "why": explanation.why,
            "assumptions": _assumptions_json(explanation.assumptions),
            "candidates": candidates,
            "missing_probability": _round(explanation.missing_probability),
            "missing_clue_probability": _round(explanation.missing_clue_probability),
            "squares": squares,
            "pieces": list(explanation.pieces),
            "pieces_probability": _round(explanation.pieces_probability),
        }
    )


def json_line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n"


def _candidate_json(candidate: Candidate | ExplainedCandidate) -> dict[str, Any]:
    evidence = [
        {
            "finder": x.finder,
            "kind": x.kind,
            "text": x.text,
            "score": _round(x.score),
            "use_count": x.use_count,
            "last_year": x.last_year,
        }
        for x in candidate.evidence
    ]
    return {"answer": candidate.answer, "probability": _round(candidate.probability), "evidence": evidence}


def _assumptions_json(assumptions: Sequence[Assumption]) -> list[dict[str, Any]]:
    return [{"move": x.move, "price": _round(x.price), "gain": _round(x.gain)} for x in assumptions]


def _entry_json(answer: Answer) -> dict[str, Any]:
    return {
        "number": answer.slot.number,
        "direction": "across" if answer.slot.direction is Direction.ACROSS else "down",
        "cells": answer.slot.cells,
        "clue": answer.clue,
        "answer": answer.answer,
        "confidence": _round(answer.confidence),
        "found_by": list(dict.fromkeys(evidence.finder for evidence in answer.evidence)),
        "alternatives": [[word, _round(p)] for word, p in answer.alternatives],
    }


def _round(p: float) -> float:
    return round(float(p), 6)
