"""Real replies of 19 judges, read and held against what their authors read.

Where we differ, the text was looked at by hand; the kinds of difference, each with rows in a table below:
- basse_es: the authors wrote 3 where their pattern found nothing, though a mark stands in the text ("[RESULT] 4 (an
  integer number between 1 and 5)", "[RESULT] 4" before the reason, "[5]" at the end, "Score 2 [2]"), and where none
  does. We read the mark, and nothing where there is none. Nine of their verdicts stand under no mark of ours: a
  heading in another language than the criterion ("**Consistencia: 4**"), prose ("a score of 4"), a ratio ("4/5"),
  and "[RESULT] Score 4".
- llmbar: the authors took the first output where the reply did not end in their sentence, or where it names the first
  one before; and they read no "# Output (a) is better.". We read what it says. One reply goes on in a bracket.
- posbias_mtbench_rep: the authors read [[A]] alone and the first of several. We also read a closing "[A]" and
  "Therefore, ..., Assistant A is better.", and nothing where both stand in double brackets on one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiel.judges._asking import Asked
from fiel.judges._plain_text import read_text
from fiel.judges._reply import read_reply
from fiel.records import Criterion

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"

BASSE = {  # by hand: the mark in the text, which is not the authors' 3
    ("es41|claude-5w1h", "Qwen2.5-7B-Instruct", "Coherence"): "2",  # "(Cohherence) Score 2 (2)"
    ("es14|gpt4o-5w1h", "Qwen2.5-7B-Instruct", "Coherence"): "2",  # "Score 2: The summary contains ... 2"
    ("es17|gpt4o-base", "Qwen2.5-7B-Instruct", "Coherence"): "1",  # "(Coherence) [1] The summary ..."
    ("es26|llama3-5w1h", "Qwen2.5-7B-Instruct", "Coherence"): "2",  # "[RESULT] 2", then the reason
    ("es01|claude-base", "Qwen2.5-7B-Instruct", "5W1H"): "5",  # the same
    ("es05|reka-base", "Qwen2.5-7B-Instruct", "5W1H"): "5",  # "[RESULT] 5" for each of five parts
    ("es35|reka-base", "Qwen2.5-7B-Instruct", "5W1H"): "4",  # "[RESULT] 4 (an integer number between 1 and 5)"
    ("es11|llama3-core", "Qwen2.5-7B-Instruct", "Consistency"): "5",  # "... [5]" at the end
    ("es18|llama3-5w1h", "Qwen2.5-7B-Instruct", "Consistency"): "1",  # "... [1]" at the end
    ("es06|llama3-core", "Qwen2.5-7B-Instruct", "Fluency"): "4",  # "(Fluency) [Score 4] The response ..."
    ("es33|commandr-core", "Qwen2.5-7B-Instruct", "5W1H"): None,  # "[RESULT] Score 4"
    ("es38|llama3-core", "prometheus-8-7b", "Consistency"): "4",  # (Score 2), (Score 5), and at the end [RESULT] 4
    ("es38|claude-5w1h", "selene", "Consistency"): None,  # "**Consistencia: 4**"
    ("es19|commandr-base", "selene", "Consistency"): None,  # "the criteria for a score of 4."
    ("es31|llama3-base", "selene", "Relevance"): None,  # "**Total: 4/5**"
}
LLMBAR = {  # by hand: what each reply says on which we differ
    ("Natural-064", "ChatGPT/Swap_CoT", "ba"): "second",  # "(a) argues that Output (a) is better", then for (b)
    ("Natural-096", "ChatGPT/Swap_CoT", "ba"): "second",
    ("Natural-062", "Falcon/Metrics", "ba"): "first",  # "# Output (a) is better."
    ("Natural-050", "PaLM2/CoT", "ab"): "second",  # the same, and again at the end
    ("Natural-086", "PaLM2/CoT", "ab"): "second",  # "Output (b) is better." and its reasons; so most
    ("Neighbor-002", "ChatGPT/Swap_CoT", "ba"): "second",
    ("Neighbor-023", "Falcon/Swap_CoT", "ba"): "second",  # "better if ..." of both, then "Therefore, Output (b) ..."
    ("Neighbor-107", "LLaMA2/Vanilla_1shot", "ba"): "second",
    ("Neighbor-088", "LLaMA2/Vanilla_2shot", "ba"): "second",
    ("Neighbor-114", "LLaMA2/Vanilla_2shot", "ab"): "second",
    ("Neighbor-121", "LLaMA2/Vanilla_2shot", "ab"): "second",  # the same, cut in the middle of its reasons
    ("Neighbor-025", "PaLM2/CoT", "ba"): "second",
    ("Neighbor-092", "PaLM2/CoT", "ab"): "second",
    ("Neighbor-096", "PaLM2/CoT", "ba"): "second",
    ("Neighbor-098", "PaLM2/CoT", "ba"): "second",
    ("Neighbor-108", "PaLM2/CoT", "ba"): "second",
    ("Neighbor-131", "PaLM2/CoT", "ab"): "second",
    ("GPTInst-050", "ChatGPT-0301/Vanilla_2shot", "ba"): None,  # "Output (a) (as it is tailored to the specific notes)"
    ("GPTInst-034", "LLaMA2/Vanilla_1shot", "ba"): "second",
    ("GPTInst-055", "LLaMA2/Vanilla_1shot", "ba"): "second",
    ("GPTInst-025", "LLaMA2/Vanilla_2shot", "ab"): "second",
    ("GPTInst-062", "LLaMA2/Vanilla_2shot", "ab"): "second",
    ("GPTInst-021", "PaLM2/CoT", "ba"): "second",
    ("GPTInst-042", "PaLM2/CoT", "ab"): "second",
    ("GPTInst-044", "PaLM2/CoT", "ba"): "second",
    ("GPTInst-052", "PaLM2/CoT", "ba"): "second",
    ("GPTInst-058", "PaLM2/CoT", "ba"): "second",
    ("GPTInst-060", "PaLM2/CoT", "ba"): "second",
    ("GPTInst-062", "PaLM2/CoT", "ba"): "second",
    ("GPTInst-071", "PaLM2/CoT", "ab"): "second",
    ("GPTOut-030", "ChatGPT/Swap_CoT", "ba"): "second",
    ("GPTOut-004", "PaLM2/CoT", "ab"): "second",
    ("GPTOut-035", "PaLM2/CoT", "ba"): "second",
    ("GPTOut-040", "PaLM2/CoT", "ab"): "second",
    ("Manual-045", "LLaMA2/Vanilla_1shot", "ba"): "second",
    ("Manual-032", "LLaMA2/Vanilla_2shot", "ba"): "second",
    ("Manual-015", "PaLM2/CoT", "ba"): "second",
    ("Manual-028", "PaLM2/CoT", "ab"): "second",
    ("Manual-038", "PaLM2/CoT", "ba"): "second",
}
LLMBAR_NONE = {  # by hand: neither they nor we
    ("GPTInst-061", "ChatGPT/Swap", "ab"): None,  # "Neither Output (a) nor Output (b) ..."
    ("Manual-002", "LLaMA2/Swap", "ab"): None,  # "Therefore, Output (b)", and cut
    ("GPTInst-082", "LLaMA2/Vanilla", "ab"): None,  # "I cannot provide a response ..."
}
POSBIAS = {  # by hand
    ("86|claude-v1|vicuna-13b-v1.3", "gemini-pro", "ab"): "A",  # "[A]" at the end
    ("159|claude-v1|vicuna-13b-v1.3", "gpt-3.5-turbo-0125", "ab"): "A",  # "Therefore, ..., Assistant A is better"
    ("119|stablelm-tuned-alpha-7b|vicuna-13b-v1.3", "gemini-pro", "ab"): None,  # "[[B]] is better than [[A]]"
    ("139|claude-v1|vicuna-13b-v1.3", "gpt-4-0613", "ba"): None,  # "[[C]] for the second ..., but [[A]] for ..."
}


def asked(criterion: str, options: tuple[str, ...], keys: tuple[str, ...] | None = None) -> Asked:
    """A criterion of theirs."""
    return Asked(criterion=Criterion(id=criterion, question="?", options=options), keys=keys or options)


def rows(name: str, columns: str) -> list[tuple[Any, ...]]:
    """Raw outputs of a data set, or a skip with the reason."""
    file = REAL / name / "raw_outputs.parquet"
    if not file.exists():
        pytest.skip(f"{file} is absent")
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql(f"select {columns} from '{file}'").fetchall()  # noqa: S608  the names are ours


def read_all(
    raw: list[tuple[Any, ...]], criterion: Callable[[tuple[Any, ...]], Asked]
) -> list[tuple[tuple[str, str, str], str, str | None, str | None]]:
    """For each row its key, its text, their verdict and ours; the place of ours is checked on the way."""
    read = []
    for row in raw:
        key, text, theirs = row[:3], row[3], row[4]
        question = criterion(row)
        answer = read_text(text, question)
        if answer.answer is not None:
            written = text[answer.start : answer.end]
            assert question.keys[question.answers.index(answer.answer)] == written
        read.append((key, text, theirs, answer.answer))
    return read


def check_by_hand(table: dict[tuple[str, str, str], str | None], read: list[Any]) -> None:
    """Every row of a table is there and reads as it was read by hand."""
    ours = {key: mine for key, _, _, mine in read if key in table}
    assert ours == table


def test_basse_spanish_summaries_from_1_to_5():
    """Of 4,000 replies, 99 % of the marked verdicts are theirs; where they wrote 3 without one, we read the text."""
    raw = rows("basse_es", "item_id, judge, criterion, raw, cast(cast(score as int) as varchar)")
    read = read_all(raw, lambda row: asked(row[2], ("1", "2", "3", "4", "5")))
    mark = re.compile(
        r"(?i)(?:\[?\bresult(?:ado)?\b\]?|\[?\bscore\b)[\s:*(\[]*([1-5])\b(?![/.]\d)|\[([1-5])\][\s*]*(?:$|The )"
    )
    marked = [(theirs, mine) for _, text, theirs, mine in read if theirs in {m[1] or m[2] for m in mark.finditer(text)}]
    assert len(marked) > 3500
    assert sum(theirs == mine for theirs, mine in marked) >= 0.99 * len(marked)
    differing = [(text, theirs, mine) for _, text, theirs, mine in read if theirs != mine]
    assert sum(theirs != "3" for _, theirs, _ in differing) == 9
    for text, theirs, mine in differing:
        if theirs == "3" and mine is not None:
            assert mine in {m[1] or m[2] for m in mark.finditer(text)}
    assert all(mine is None for _, text, theirs, mine in read if theirs is None)
    check_by_hand(BASSE, read)


def test_llmbar_pairs_in_58_formats():
    """Of 6,000 replies at least 99 % are read as theirs, and every other one as it was read by hand."""
    raw = rows("llmbar", 'item_id, judge, "order", raw, position_by_upstream')
    read = read_all(raw, lambda _: asked("preference", ("first", "second"), ("a", "b")))
    assert sum(theirs == mine for *_, theirs, mine in read) >= 0.99 * len(read)
    assert {key for key, _, theirs, mine in read if theirs != mine} == set(LLMBAR)
    check_by_hand(LLMBAR | LLMBAR_NONE, read)


def test_mtbench_pairs_with_double_brackets():
    """Of 2,000 replies at least 99 % of theirs are ours; the rest reads as it was read by hand."""
    raw = rows("posbias_mtbench_rep", 'item_id, judge, "order", raw, letter_by_upstream_rule')
    read = read_all(raw, lambda _: asked("preference", ("A", "B", "C")))
    marked = [(theirs, mine) for *_, theirs, mine in read if theirs is not None]
    assert len(marked) == 1986
    assert sum(theirs == mine for theirs, mine in marked) >= 0.99 * len(marked)
    assert all(mine is None for theirs, mine in marked if theirs != mine)
    for _, text, theirs, mine in read:
        if theirs is None and mine is not None:
            assert text.rstrip().endswith(f"[{mine}]") or f"Assistant {mine} is better" in text
    check_by_hand(POSBIAS, read)


def test_a_reply_without_json_is_read_as_text():
    """The same replies through the reader of replies: the same answers, marked as plain text."""
    question = asked("preference", ("A", "B", "C"))
    for (text,) in rows("posbias_mtbench_rep", "raw")[::20]:
        reading = read_reply(text, [question])
        if "{" not in text:
            assert reading.answers[0].answer == read_text(text, question).answer
            assert reading.mended == (("plain text",) if reading.answers[0].answer else ())
