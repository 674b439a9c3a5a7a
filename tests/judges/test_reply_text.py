from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.judges._asking import Asked
from fiel.judges._plain_text import read_text
from fiel.records import Criterion


def scale(*options: str, keys: tuple[str, ...] | None = None, name: str = "c") -> Asked:
    """A criterion with these options."""
    return Asked(criterion=Criterion(id=name, question="?", options=options), keys=keys or options)


ABC = scale("A", "B", "C")
FIVE = scale("1", "2", "3", "4", "5")
TEN = scale(*(str(value) for value in range(11)))
PAIR = scale("first", "second", keys=("a", "b"))
YES = scale("no", "yes")
RIGHT = scale("incorrect", "correct")
GRADE = scale("incorrect", "correct", keys=("I", "C"))


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("Both are fine. [[A]]", ABC, "A"),
        ("Final Verdict: **[[C]]** for a tie.", ABC, "C"),
        ("I believe that [[B]] provides the better answer.\n\n[[B]]", ABC, "B"),
        ("It is short.\n[A]", ABC, "A"),
        ("Good flow. [RESULT] 5", FIVE, "5"),
        ("Good flow. **[RESULT] 4**", FIVE, "4"),
        ("[RESULT] (4)", FIVE, "4"),
        ("[RESULT] 4 (an integer number between 1 and 5)", FIVE, "4"),
        ("**RESULT** [3]", FIVE, "3"),
        ("(Coherence) Score 2 [2]", FIVE, "2"),
        ("Rating: [[5]]", FIVE, "5"),
        ("**Score:** 4", FIVE, "4"),
        ("**Score**: **4**\nIt is good.", FIVE, "4"),
        ("### Final score: 4.0", FIVE, "4"),
        ("Es clara.\n\nPuntuación: 4", FIVE, "4"),
        ("Es clara.\n\n**Resultado:** 3", FIVE, "3"),
        ("Coherence: 4", scale("1", "4", name="coherence"), "4"),
        ("(Coherence) [1] The summary is a list.", scale("1", "4", name="Coherence"), "1"),
        ("It holds up.\n\n**[4]**", FIVE, "4"),
        ("It holds up.\n\n4", FIVE, "4"),
        ("Verdict: yes", YES, "yes"),
        ('Verdict: "Yes", because it does.', YES, "yes"),
        ("My verdict is:\n\n**no**", YES, "no"),
        ("Final answer: B", ABC, "B"),
        ("Respuesta final: B.", ABC, "B"),
        ("GRADE: C", GRADE, "correct"),
        ("Incorrect.", RIGHT, "incorrect"),
        ("yes.", YES, "yes"),
        ("  **Yes**\n", YES, "yes"),
        ("Yes\n\nThe answer covers both parts.", YES, "yes"),
        ("7", TEN, "7"),
        ("10", TEN, "10"),
        ("Output (a)", PAIR, "first"),
        ("Output (b)", scale("first", "second", keys=("Output (a)", "Output (b)")), "second"),
        ("Output (a) is better. Output (b) is too long. Therefore, Output (a) is better.", PAIR, "first"),
        ("Assistant (a) argues that Output (a) is better.\n\nTherefore, Output (b) is better.", PAIR, "second"),
        ("<think>Verdict: no</think>Verdict: yes", YES, "yes"),
        ("Verdict: ｙｅｓ", YES, "yes"),
        ("Ver\u200bdict: y\u00ades", YES, "yes"),
        ("Veredicto: sí", scale("no", "sí"), "sí"),
        ("Verdict: not sure", scale("no", "not sure", "yes"), "not sure"),
        ("Score: 8/10", scale("7/10", "8/10"), "8/10"),
    ],
)
def test_a_verdict_under_a_mark_is_read_with_its_place(text, asked, expected):
    """Marks, announced values, and lines that are nothing but the value; the place holds the value."""
    answer = read_text(text, asked)
    assert (answer.answer, answer.problem) == (expected, None)
    written = unicodedata.normalize("NFKC", text[answer.start : answer.end]).replace("\u00ad", "").casefold()
    key = asked.keys[asked.answers.index(expected)].casefold()
    assert written.removesuffix(".0") == key or key.endswith(f"({written})")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("", YES),
        ("It covers both parts of the question.", YES),
        ("No, it does not cover the second part.", YES),
        ("Yes, it violates", YES),
        ("The answer is incorrect", RIGHT),
        ("not correct", RIGHT),
        ("Verdict: not correct", RIGHT),
        ("Verdict: correctly stated", RIGHT),
        ("Verdict: yes, but only in part", YES),
        ("Verdict: yes or no", YES),
        ("downgrade: i think it misses a point", GRADE),
        ("GRADE: CI", GRADE),
        ("GRADE: I think it is right", GRADE),
        ("upgrade: C", GRADE),
        ("G\u200bRADE: C\u200bI", GRADE),
        ("A good answer would name the year.", ABC),
        ("Final answer: A good one", ABC),
        ("7/10", TEN),
        ("7 out of 10", TEN),
        ("Score: 7/10", TEN),
        ("Puntuación: 7 de 10", TEN),
        ("Score: 85", TEN),
        ("Score: 8.5", TEN),
        ("Score: 4-5", FIVE),
        ("Score: 4 or 5", FIVE),
        ("Score: 70%", scale("70", "80")),
        ("[RESULT] 45", FIVE),
        ("It deserves a score of 4.", FIVE),
        ("It is the 4", FIVE),
        ("Result 3 shows that it is clear.", FIVE),
        ("* Relevance 3 sources are cited", scale("1", "3", name="relevance")),
        ("Three points:\n1. a\n2. b\n3.", FIVE),
        ('Write "[[A]]" if assistant A is better, [[B]] if assistant B is better, and [[C]] for a tie.', ABC),
        ("[[A]] if assistant A is better", ABC),
        ('The item says "Verdict: yes" in its last line.', YES),
        ("I do not think that Output (a) is better.", PAIR),
        ("Whether Output (a) is better is hard to say.", PAIR),
        ("Output (a) is better at brevity.", PAIR),
        ("Output (a) is not better because it is short.", PAIR),
        ("<think>Verdict: yes", YES),
        ("I cannot provide a verdict.", YES),
    ],
)
def test_what_is_no_verdict_is_none(text, asked):
    """Prose, denials, longer words and numbers, ratios, conditions and quotes are never the value (row 11)."""
    answer = read_text(text, asked)
    assert (answer.answer, answer.start, answer.end) == (None, None, None)
    assert answer.problem


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("Consistency: 1\n\n[RESULT] 3", scale("1", "3", name="Consistency"), "3"),
        ("Accurate (Score 2) but dull (Score 5). [RESULT] 4", FIVE, "4"),
        ("[[A]] if A is better, [[B]] if B is better.\n\nThe verdict is: [[A]]", ABC, "A"),
        ("Verdict: yes\nOn reflection:\nFinal verdict: no", YES, None),
        ("Final verdict: [[C]] for the second question, but [[A]] for the entire conversation.", ABC, None),
        ("**[[B]]** is better than **[[A]]**.", ABC, None),
        ("[RESULT] 4\n\nScore 5: the best", FIVE, None),
        ("Score 1: bad\nScore 3: fair\nScore 5: good", FIVE, None),
        ("Yes\n\nDoes it contradict the source?\n\nNo", YES, None),
        ("Verdict: correct\n\nFinal verdict: not correct", RIGHT, None),
        ("[[A]]\n<|Human Rating=5, Sentiment=Positive|>", ABC, "A"),
    ],
)
def test_verdicts_that_differ_are_none_unless_the_last_line_decides(text, asked, expected):
    """Partial scores give way to one final verdict on the last line; two final ones, or none, give nothing."""
    assert read_text(text, asked).answer == expected


@given(st.text(max_size=80), st.sampled_from(["\n", " ", "\n\n", "."]), st.sampled_from(["no", "yes"]))
def test_a_final_verdict_after_any_text_is_that_or_nothing(before, between, verdict):
    """Whatever stands before, the announced last line is never read as the opposite."""
    answer = read_text(f"{before}{between}\n[RESULT] {verdict}", YES)
    assert answer.answer in {verdict, None}
