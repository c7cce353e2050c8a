"""Why an answer is in a list: what each finder has to say for it, and the past clue of the nearest meaning."""

from __future__ import annotations

from regis.candidates.finder import Evidence, ExplainRow, QueryResults
from regis.candidates.past_clues import past_clue_evidence
from regis.candidates.ranking.clue_similarity import find_nearest_clue
from regis.candidates.ranking.feature_table import AnswerRows

MIN_PARAPHRASE_COSINE = 0.8  # from which a past clue that means the same is named as a reason; a guess


def explain_rows(query_results: QueryResults, answer_rows: AnswerRows) -> ExplainRow:
    """Make the function that collects the evidence for the i-th of some answers, looked up only when somebody asks.

    Parameters
    ----------
    query_results : what was found for the clue.
    answer_rows : (answers,) in the order of the list.
    """
    partition, embedding = query_results.partition, query_results.query.clue_embedding
    finders_explain = [result.explain for result in query_results.results.values()]

    def explain(i: int) -> tuple[Evidence, ...]:
        row = int(answer_rows[i])
        reasons = [reason for explain_row in finders_explain for reason in explain_row(row)]
        nearest = None if embedding is None else find_nearest_clue(partition, row, embedding)
        if nearest is not None and nearest[1] >= MIN_PARAPHRASE_COSINE:
            paraphrase = past_clue_evidence("similar", "paraphrase", partition, *nearest)
            if all(reason.text != paraphrase.text for reason in reasons if reason.kind == "clue"):
                reasons.append(paraphrase)
        return tuple(reasons)

    return explain
