"""Reports as they come out of a real project: four criteria with the four words, and one in two languages."""

from __future__ import annotations

import msgspec
import pytest

from fiel.measures import CriterionValidation, Decision, Funnel, Rate, Validation
from fiel.reports import Case, Report, to_html
from fiel.stats import Estimate


def estimate(value: float, low: float, high: float, n: int, method: str = "wilson") -> Estimate:
    """A number with its interval."""
    return Estimate(value=value, low=low, high=high, confidence=0.95, method=method, n=n)


def undefined(reason: str, n: int) -> Estimate:
    """The reason why there is no number."""
    return Estimate(value=None, low=None, high=None, confidence=0.95, method="clopper-pearson", n=n, reason=reason)


def funnel(both: int, *, labelled: int | None = None, unscored: dict[str, int] | None = None) -> Funnel:
    """Denominators that add up."""
    lost = unscored or {}
    return Funnel(
        items=1200,
        judged=1200,
        scored=1200 - sum(lost.values()),
        checked=0,
        unscored=lost,
        labelled=labelled or both,
        skipped=2,
        unresolved=1,
        both=both,
    )


def _grounded() -> CriterionValidation:
    return CriterionValidation(
        criterion="grounded",
        question="Does the CONTEXT support every factual claim of the ANSWER?",
        options=("no", "yes"),
        passing=("yes",),
        digest="1f" * 32,
        funnel=funnel(196, labelled=200, unscored={"unparsed": 3, "refused": 1}),
        raters=2,
        agreement=estimate(0.934, 0.890, 0.961, 196),
        probability=0.9993,
        kappa=estimate(0.842, 0.757, 0.917, 196, "delta method"),
        ceiling=estimate(0.910, 0.862, 0.943, 196),
        difference=estimate(0.021, -0.014, 0.057, 196, "paired t"),
        confusion=((53, 6), (7, 130)),
        constant=None,
        word="use",
        why="The judge agrees with people on 183 of 196 items (93 %), surely above 85 %.",
        more=None,
        disagreements=("q-0412", "q-0077", "q-1003", *(f"q-11{place:02}" for place in range(10))),
    )


def _complete() -> CriterionValidation:
    return CriterionValidation(
        criterion="complete",
        question="Does the ANSWER cover everything that the QUESTION asks for?",
        options=("no", "partly", "yes"),
        passing=("partly", "yes"),
        digest="2e" * 32,
        funnel=funnel(198),
        raters=2,
        agreement=estimate(0.712, 0.645, 0.770, 198),
        probability=0.00002,
        kappa=estimate(0.514, 0.418, 0.604, 198, "delta method"),
        ceiling=estimate(0.879, 0.826, 0.917, 198),
        difference=estimate(-0.165, -0.228, -0.101, 198, "paired t"),
        confusion=((41, 11, 3), (9, 38, 20), (2, 12, 62)),
        constant=None,
        word="leave out",
        why="The judge agrees with people on 141 of 198 items (71 %), surely below 85 %, and surely less often than "
        "people agree with each other: two people agree on 88 % of the items that both answered.",
        more=None,
        disagreements=("q-0031", "q-0512"),
    )


def _friendly() -> CriterionValidation:
    return CriterionValidation(
        criterion="friendly tone",
        question="Is the ANSWER friendly?",
        options=("no", "yes"),
        passing=("yes",),
        digest="3d" * 32,
        funnel=funnel(197),
        raters=2,
        agreement=estimate(0.640, 0.571, 0.704, 197),
        probability=0.00001,
        kappa=estimate(0.118, -0.021, 0.254, 197, "delta method"),
        ceiling=estimate(0.655, 0.586, 0.718, 197),
        difference=estimate(-0.012, -0.079, 0.055, 197, "paired t"),
        confusion=((21, 38), (33, 105)),
        constant=None,
        word="rewrite",
        why="The judge agrees with people on 126 of 197 items (64 %), surely below 85 %; two people agree on 66 % of "
        "the items that both answered, so the judge is not surely worse than a second person.",
        more=None,
        disagreements=(),
    )


def _abstains() -> CriterionValidation:
    return CriterionValidation(
        criterion="abstains well",
        question="Where the CONTEXT holds no answer, does the ANSWER say so?",
        options=("no", "yes"),
        passing=("yes",),
        digest="4c" * 32,
        funnel=funnel(41),
        raters=1,
        agreement=estimate(0.902, 0.775, 0.961, 41),
        probability=0.836,
        kappa=Estimate(
            value=None,
            low=None,
            high=None,
            confidence=0.95,
            method="delta method",
            n=41,
            reason="the judge gave one answer only",
        ),
        ceiling=None,
        difference=None,
        confusion=((0, 4), (0, 37)),
        constant="yes",
        word="not enough labels",
        why="The judge agrees with the one rater on 37 of 41 items (90 %): not surely above or below 85 %, but it says "
        "*yes* to every one of them; about 45 more labels would decide if the present agreement held.",
        more=45,
        disagreements=("q-0009", "q-0200", "q-0201", "q-0777"),
    )


def _rates() -> tuple[Rate, ...]:
    rows = [
        ("grounded", ("yes",), (0.741, 0.716, 0.766), (0.693, 0.625, 0.754), (0.712, 0.671, 0.753), 0.031, 196),
        (
            "complete",
            ("partly", "yes"),
            (0.815, 0.792, 0.836),
            (0.722, 0.656, 0.780),
            (0.742, 0.684, 0.800),
            0.063,
            198,
        ),
        ("friendly tone", ("yes",), (0.702, 0.676, 0.727), (0.701, 0.634, 0.760), (0.695, 0.628, 0.762), 0.025, 197),
    ]
    return tuple(
        Rate(
            criterion=criterion,
            passing=passing,
            judge="house",
            identity="9a" * 32,
            estimate=estimate(*corrected, n, "prediction-powered, t"),
            raw=estimate(*raw, 1200),
            classical=estimate(*classical, n),
            bias=bias,
            funnel=funnel(n),
            sentence=f"{100 * corrected[0]:.0f} % of the answers pass *{criterion}* ({100 * corrected[1]:.0f} to "
            f"{100 * corrected[2]:.0f} %); the judge alone would have said {100 * raw[0]:.0f} %.",
            assumptions=("The labelled items are a random sample of all items.",),
        )
        for criterion, passing, raw, classical, corrected, bias, n in rows
    )


def _decisions() -> tuple[Decision, ...]:
    return (
        Decision(
            verdict="pass", certainty="sure", at_least=0.65, confidence=0.95, probability=0.9985,
            estimate=estimate(0.712, 0.671, 0.753, 196, "prediction-powered, t"),
            why="71 % pass, and it is all but certain that at least 65 % do.",
            name="grounded enough to ship", criterion="grounded", judge="house",
        ),
        Decision(
            verdict="fail", certainty="sure", at_least=0.85, confidence=0.95, probability=0.0002,
            estimate=estimate(0.742, 0.684, 0.800, 198, "prediction-powered, t"),
            why="74 % pass where at least 85 % must.",
            name="complete", criterion="complete", judge="house", items=("q-0031", "q-0512"),
            evidence=("q-0031: the second question is not answered", "q-0512: no date is given"),
        ),
        Decision(
            verdict="undecided", certainty="doubtful", at_least=0.875, confidence=0.95, probability=0.71,
            estimate=estimate(0.902, 0.775, 0.961, 41),
            why="90 % pass among 41 labels; at least 87.5 % must, and that is not sure enough.",
            name="abstains well", criterion="abstains well", judge="house",
        ),
    )  # fmt: skip


def _cases() -> tuple[Case, ...]:
    return (
        Case(
            id="q-0412", criterion="grounded", judge="house",
            question="When does the warranty of the Nord 300 end?",
            answer="The warranty lasts three years, and it also covers the battery.\n\nBatteries are replaced free of "
            "charge." + " Bring the receipt." * 60,
            gold="no", answers={"ana": "no", "luis": "no"}, verdict="yes", probability=0.9991,
            reason="The three years stand in the context.", evidence=("three years",),
        ),
        Case(
            id="q-0077", criterion="grounded", judge="house",
            question="¿Cuánto tarda el envío a Canarias?",
            answer="Entre cinco y siete días laborables; los gastos son de 12 €.",
            gold="yes", answers={"ana": "yes", "luis": "yes"}, verdict="no", probability=0.88,
            reason="No dice el precio.",
        ),
    )  # fmt: skip


@pytest.fixture(scope="session")
def report() -> Report:
    """Four criteria, one for each word; English questions, one Spanish item."""
    return Report(
        title="Judge against people",
        project="support-bot",
        generated="2026-03-02",
        version="0.1.0",
        command="fiel validate --judge house --set spring --format html",
        simulated="The two raters of this demo are simulated.",
        language="en",
        validations=(
            Validation(
                judge="house",
                identity="9a" * 32,
                rubric="rag",
                rubric_digest="7b" * 32,
                bar=0.85,
                confidence=0.95,
                raters=("ana", "luis"),
                criteria=(_grounded(), _complete(), _friendly(), _abstains()),
                warnings=("Fewer than 50 labels on *abstains well* (41): intervals are wide.",),
            ),
        ),
        rates=_rates(),
        decisions=_decisions(),
        notes=("Criterion complete: the option “partly” is not defined in the guidance.",),
        cases=_cases(),
    )


@pytest.fixture(scope="session")
def spanish(report: Report) -> Report:
    """Two judges on one criterion, its words in Spanish; no rates and no gates."""
    question = "¿Está cada afirmación de la RESPUESTA respaldada por el CONTEXTO?"
    part = msgspec.structs.replace(_grounded(), criterion="fundamentada", question=question, options=("no", "sí"))
    first = msgspec.structs.replace(report.validations[0], criteria=(part,), warnings=())
    worse = msgspec.structs.replace(
        part, agreement=estimate(0.801, 0.739, 0.851, 196), word="rewrite", confusion=((43, 16), (23, 114))
    )
    second = msgspec.structs.replace(first, judge="pequeño", identity="5e" * 32, criteria=(worse,))
    case = Case(
        id="ñ-1", criterion="fundamentada", judge="pequeño", question="¿Qué día cierra el museo?",
        answer="El lunes, según el cartel.", gold="sí", verdict="no",
    )  # fmt: skip
    return msgspec.structs.replace(
        report, language="es", validations=(first, second), rates=(), decisions=(), notes=(), cases=(case,)
    )


@pytest.fixture(scope="session")
def raw() -> Decision:
    """A gate on the judge's own mean."""
    return Decision(
        verdict="pass", certainty="sure", at_least=0.5, confidence=0.95, probability=0.97,
        estimate=estimate(0.741, 0.716, 0.766, 1200, "ess-wilson; raw, the judge's bias is not corrected"),
        why="P(rate >= 0.50) = 0.97, at least 0.95.", name="raw", criterion="grounded", judge="house",
    )  # fmt: skip


@pytest.fixture(scope="session")
def clustered(report: Report) -> Validation:
    """Two criteria: items of one come in groups, those of the other do not."""
    grounded, complete = report.validations[0].criteria[:2]
    groups = estimate(0.934, 0.870, 0.975, 34, "clopper-pearson at n_eff, clusters")
    return msgspec.structs.replace(
        report.validations[0], criteria=(msgspec.structs.replace(grounded, agreement=groups), complete)
    )


@pytest.fixture(scope="session")
def unlabelled(report: Report) -> Validation:
    """One criterion that nobody has answered, and one that has two labels of one group."""
    gap = "no item has both a verdict and an answer of people"
    nothing = undefined(gap, 0)
    polite = msgspec.structs.replace(
        _abstains(), criterion="polite", raters=0, agreement=nothing, kappa=nothing, probability=None, constant=None,
        funnel=msgspec.structs.replace(funnel(0), labelled=0, skipped=0, unresolved=0), confusion=((0, 0), (0, 0)),
        why=f"Agreement is unknown: {gap}.", more=None, disagreements=(),
    )  # fmt: skip
    lone = undefined("one cluster has no interval", 1)
    safe = msgspec.structs.replace(polite, criterion="safe", raters=2, agreement=lone, ceiling=lone, funnel=funnel(2))
    return msgspec.structs.replace(report.validations[0], criteria=(polite, safe), warnings=())


@pytest.fixture(scope="session")
def page(report: Report) -> str:
    """The first report as HTML."""
    return to_html(report)


@pytest.fixture(scope="session")
def hostile(report: Report) -> Report:
    """The first report, every text that comes from data replaced by one that tries to get out of its place."""
    return msgspec.convert(_poisoned(msgspec.to_builtins(report)), Report)


OURS = {"format", "title", "generated", "version", "word", "verdict", "certainty", "side", "method", "language"}
POISON = (
    "</script><img src=x onerror=alert(1)>{{7*7}}{% raw %}[bold]b[/bold][link=https://x.example]l[/link]"
    "\"' onload='x' @octocat #12 https://x.example <!-- --> ]]> &amp; | `c` *e* "
    "\x1b[31mred\x07\u202eevil\u2066\x00\ud800"
)


def _poisoned(value: object, name: str = "") -> object:
    if isinstance(value, dict):
        kept = {key: part for key, part in value.items() if key in OURS and isinstance(part, str)}
        return {key: _poisoned(part, key) for key, part in value.items()} | kept
    if isinstance(value, (list, tuple)):
        return [f"{part} {place}{POISON}" if name == "options" else _poisoned(part) for place, part in enumerate(value)]
    return f"{value[:12]} {POISON}" if isinstance(value, str) else value
