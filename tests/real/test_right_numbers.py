"""Where a published number or table is wrong: the right one, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fiel.interop import Content, Tables, Wish, find_tables, read_tables, understand
from fiel.measures import CriterionValidation, columns_of, validate
from fiel.stats import ece

Take = Callable[..., Content]
Against = Callable[..., CriterionValidation]


@pytest.mark.parametrize(("system", "pi"), [("llama2-7b-chat", -28.04), ("mistral-7B", -16.45)])
def test_pi_of_a_constant_judge(system: str, pi: float, taken: Take):
    """Gemma-2B calls every answer right: pi is below 0, not the published 541.6 and 582.7, which no pi can be.

    Kappa is 0 there whatever the judge agrees on, and so pi stands beside it.
    """
    content = taken("triviaqa_judges")
    frame = [item for item in content.items if item.author == system]
    names = {item.id for item in frame}
    said = [x for x in content.judgements["Gemma-2B"] if x.subject in names]
    labels = [label for label in content.labels if label.subject in names]
    (found,) = validate(said, labels, rubric=content.rubric, items=frame).criteria
    assert found.constant == "correct"
    assert found.kappa.value == 0
    values = {figure.name: figure.value for figure in found.coefficients}
    assert values["Scott's pi"] == pytest.approx(pi / 100, abs=5e-5)
    assert found.word != "use"


def test_the_misaligned_block(taken: Take, judged: Against):
    """GPT-4 on one of nine systems agrees in 63.5 % and elsewhere in 91 % and more: its rows there are another run's.

    The published table has pi .88 for this block. The drill-down by judge and system finds it: of the eleven judges,
    GPT-4 has the block that lies furthest below all its others, looks allowed for, and its sentence names the block.
    """
    content = taken("triviaqa_judges")
    apart = {}
    for judge in content.judgements:
        (by_system,) = judged(content, judge, slices=("author",)).slices
        worst, *others = sorted(by_system.slices, key=lambda line: line.estimate.value or 0.0)
        gap = min(line.adjusted.low or 0.0 for line in others) - (worst.adjusted.high or 0.0)
        apart[judge, worst.value] = (gap, worst, by_system.sentence)
    (judge, system), (gap, worst, sentence) = max(apart.items(), key=lambda found: found[1][0])
    assert (judge, system) == ("GPT-4", "llama2-13b-chat")
    assert gap > 0.1 > 5 * max(x[0] for key, x in apart.items() if key[0] != "GPT-4")
    assert worst.differs
    assert worst.n == 400
    assert worst.estimate.value == pytest.approx(0.635)
    assert "llama2-13b-chat (64 %, n=400)" in sentence


def test_a_published_score_without_its_nulls(taken: Take, judged: Against):
    """Llama-70B has 130 verdicts missing in one block: agreement there is on 270, and said with them as wrong."""
    content = taken("triviaqa_judges")
    found = judged(content, "Llama-70B", slices=("author",))
    assert found.funnel.unscored == {"unparsed": 130}
    assert {line.value: line.n for line in found.slices[0].slices}["llama2-13b-base"] == 270
    assert found.scores is not None
    agreed = found.funnel.agree
    assert found.scores.accuracy.value == pytest.approx(agreed / 3465)
    assert found.scores.accuracy_unscored_wrong.value == pytest.approx(agreed / 3595)


def test_verdicts_off_the_scale(taken: Take, judged: Against):
    """15 verdicts name a relation that is no option: each is unparsed, counted, said, and in no mean or matrix."""
    content = taken("alttest_wax")
    (note,) = content.notes
    assert note.startswith("verdicts of judges off the scale, counted as unparsed: 15; relation 'None-of-the-above'")
    off = [x for said in content.judgements.values() for x in said if x.status == "unparsed"]
    assert len(off) == 15
    assert all(x.belief is None and x.verdict is None for x in off)
    found = judged(content, "gpt-4o")
    assert found.funnel.unscored == {"unparsed": 8}
    assert found.funnel.scored == 246 - 8
    assert sum(map(sum, found.confusion)) == found.funnel.both
    assert found.scores is not None
    assert (found.scores.accuracy_unscored_wrong.value or 0.0) < (found.scores.accuracy.value or 0.0)


def zeros(tables: Tables) -> Tables:
    """The table as its authors have it: 0 where a question did not apply."""
    assert tables.people is not None
    rows = [row | ({"value": 0.0, "status": "ok"} if row["status"] == "na" else {}) for row in tables.people.rows]
    return tables._replace(people=msgspec.structs.replace(tables.people, rows=rows))


def test_zero_is_not_applicable(real: Path, taken: Take):
    """755 zeros that mean "not applicable" are skips and no lowest grade, named or not; no mean has them."""
    plain = taken("llmrubric_synth")
    tables = zeros(read_tables(find_tables(real / "llmrubric_synth")))
    named = understand(tables, name="llmrubric_synth", wish=Wish(not_applicable=("0",)), repeat="key_round")
    assert named.labels == plain.labels
    assert sum(label.skipped == "not applicable" for label in named.labels) == 755
    unnamed = understand(tables, name="llmrubric_synth", repeat="key_round")
    assert any(note.startswith("answers of people off the scale, kept out: 755;") for note in unnamed.notes)
    assert {label.answer for label in unnamed.labels} == {"1", "2", "3", "4", None}
    rubric = msgspec.structs.replace(plain.rubric, criteria=(plain.rubric["Q2"],))
    (found,) = validate(columns_of(plain.judgements["gpt-3.5-turbo-16k"]), plain.labels, rubric=rubric).criteria
    cells: dict[str, list[int]] = {}
    for label in plain.labels:
        if label.criterion == "Q2" and label.answer is not None and not label.repeat:
            cells.setdefault(label.subject, []).append(int(label.answer))
    said = {
        x.subject: int(x.verdict) for x in plain.judgements["gpt-3.5-turbo-16k"] if x.criterion == "Q2" and x.verdict
    }
    gaps = [said[name] - sum(given) / len(given) for name, given in cells.items() if name in said]
    assert found.errors is not None
    assert found.errors.bias.value == pytest.approx(sum(gaps) / len(gaps))


def test_the_better_of_two_judges(taken: Take, judged: Against):
    """The published labels of PandaLM-7B have the higher macro F1, not 93.75 % of that of GPT-3.5."""
    content = taken("pandalm")
    own, other = (judged(content, judge).scores for judge in ("pandalm-7b", "gpt-3.5-turbo"))
    assert own is not None
    assert other is not None
    assert own.macro_f1.value == pytest.approx(0.5743, abs=5e-5)
    assert own.macro_f1.value > (other.macro_f1.value or 0.0)
    assert own.accuracy_unscored_wrong.value == pytest.approx(0.6677, abs=5e-5)
    assert other.accuracy_unscored_wrong.value == pytest.approx(0.6977, abs=5e-5)
    assert other.unscored == 25


def test_probabilities_that_pile_up_at_one(taken: Take, judged: Against):
    """Of 500 messages, Brier and the error in ten equal bins are those that the set's README has from its own code."""
    content = taken("sms_cascade")
    (found,) = judged(content, "gpt-4o-mini").calibrations
    assert found.n == 500
    assert found.before is not None
    assert found.before.brier.value == pytest.approx(0.0675, abs=5e-5)
    truth = {label.subject: label.answer == "spam" for label in content.labels}
    said = {x.subject: x.belief.share_of(("spam",)) for x in content.judgements["gpt-4o-mini"] if x.belief is not None}
    assert ece([truth[name] for name in said], list(said.values()), bins=10) == pytest.approx(0.0817, abs=5e-5)
