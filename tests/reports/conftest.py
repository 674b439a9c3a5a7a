"""Reports as they come out of a real project: four criteria with the four words, and one in two languages."""

from __future__ import annotations

import random

import msgspec
import pytest

from fiel.measures import (
    CriterionValidation,
    Decision,
    Funnel,
    JudgeSaid,
    Rate,
    Validation,
    WorkItem,
    between,
    people,
    rates,
    validate,
    worklist,
)
from fiel.records import (
    Criterion,
    Design,
    Distribution,
    Evidence,
    Item,
    Judgement,
    Label,
    Message,
    Rubric,
    Stratum,
    digest,
)
from fiel.reports import Case, JudgeCard, Report, SampleCard, Seen, ServedBy, to_html
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


def _said(judge: str, answer: str, probability: float | None, reason: str, *evidence: Evidence) -> JudgeSaid:
    return JudgeSaid(judge=judge, answer=answer, status="ok", probability=probability, reason=reason, evidence=evidence)


def _cases() -> tuple[Case, ...]:
    first = WorkItem(
        item="q-0412", criterion="grounded", question="", options=("no", "yes"), drawn="disagreement",
        looks_like="judge error", gold="no", gold_from="majority", answers={"ana": "no", "luis": "no"}, surety=0.9991,
        judges=(_said("house", "yes", 0.9991, "The three years stand in the context.",
                      Evidence(text="three years", field="answer", start=19, end=30)),),
        why="Two people say no, and the judge says yes.",
    )  # fmt: skip
    second = WorkItem(
        item="q-0077", criterion="grounded", question="", options=("no", "yes"), drawn="disagreement",
        looks_like="person's error", gold="yes", gold_from="one rater", answers={"ana": "yes"}, surety=0.88,
        judges=(_said("house", "no", 0.88, "No dice el precio.", Evidence(text="sin precio", field="answer")),),
        why="One person says yes, and the judge says no.",
    )  # fmt: skip
    return (
        Case(
            work=first,
            question="When does the warranty of the Nord 300 end?",
            answer="The warranty lasts three years, and it also covers the battery.\n\nBatteries are replaced free of "
            "charge." + " Bring the receipt." * 60,
        ),
        Case(
            work=second,
            question="¿Cuánto tarda el envío a Canarias?",
            answer="Entre cinco y siete días laborables; los gastos son de 12 €.",
        ),
    )


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
                construct="adherence to rubric 'rag'",
                design="Random draw from 1,200 items.",
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
    work = msgspec.structs.replace(
        _cases()[1].work, item="ñ-1", criterion="fundamentada", gold="sí", judges=(_said("pequeño", "no", None, ""),)
    )
    case = Case(work=work, question="¿Qué día cierra el museo?", answer="El lunes, según el cartel.")
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


@pytest.fixture(scope="session")
def hostile_page(full: Report) -> str:
    """The report with everything in it, poisoned in the same way, as HTML."""
    return to_html(msgspec.convert(_poisoned(msgspec.to_builtins(full)), Report))


OURS = {
    *("format", "title", "generated", "version", "word", "verdict", "certainty", "side", "method", "language"),
    *("scale", "plain", "weighted", "kind", "source", "target", "standing", "dominates", "drawn", "looks_like"),
    *("gold_from", "field", "role", "name"),
}
KEYED = {"criteria", "flips", "answers"}  # mappings whose keys come from data
CHOSEN = {"majority", "soft", "nominal", "ordinal", "interval", "unknown", "random"}
POISON = (
    "</script><img src=x onerror=alert(1)>{{7*7}}{% raw %}[bold]b[/bold][link=https://x.example]l[/link]"
    "\"' onload='x' @octocat #12 https://x.example <!-- --> ]]> &amp; | `c` *e* "
    "\x1b[31mred\x07\u202eevil\u2066\x00\ud800"
)


def _poisoned(value: object, name: str = "") -> object:
    if isinstance(value, dict):
        kept = {key: part for key, part in value.items() if _ours(key, part, name)}
        held = {key: _poisoned(part, key) for key, part in value.items()} | kept
        return {f"{key} {POISON}": part for key, part in held.items()} if name in KEYED else held
    if isinstance(value, (list, tuple)):
        if name == "options":
            return [f"{part} {place}{POISON}" for place, part in enumerate(value)]
        return [_poisoned(part, f"{name}[]") for part in value]
    return f"{value[:12]} {POISON}" if isinstance(value, str) else value


def _ours(key: str, part: object, name: str) -> bool:
    """Whether a text is one of fiel's own words; a name is, but of a sample, a stratum, or what was served."""
    named = key != "name" or name not in {"samples[]", "strata[]", "served[]", "decisions[]"}
    return isinstance(part, str) and ((key in OURS and named) or part in CHOSEN)


SEED = 20260301


@pytest.fixture(scope="session")
def full(report: Report) -> Report:
    """A report with everything in it, from the measures themselves: four criteria, two judges, three raters."""
    rng = random.Random(SEED)  # noqa: S311  a simulation, not a secret
    rubric, items, labels = _study(rng)
    said = {"house": _judgements(rubric, items, rng, 0.08), "cheap": _judgements(rubric, items, rng, 0.35)}
    again = _judgements(rubric, items, random.Random(SEED), 0.08)  # noqa: S311  the same
    listed = worklist(list(said.values()), labels, rubric=rubric, items=items, share_of_agreements=0.0)
    texts = {item.id: item for item in items}
    return msgspec.structs.replace(
        report,
        simulated=None,
        validations=tuple(validate(x, labels, rubric=rubric, items=items, slices=("route",)) for x in said.values()),
        people=(people(labels, rubric=rubric, items=items),),
        between=(between(said["house"], said["cheap"], rubric=rubric, items=items),),
        reruns=(between(said["house"], again, rubric=rubric, items=items),),
        rates=tuple(
            rate for x in said.values() for rate in rates(x, labels, rubric=rubric, items=items, slices=("route",))
        ),
        cases=tuple(
            Case(work=work, question=texts[work.item].input, context=texts[work.item].context, answer="It is so.")
            for work in listed.items[:12]
        ),
        judges=tuple(_card(name, rubric) for name in said),
        samples=(_sample(rubric),),
    )


def _study(rng: random.Random) -> tuple[Rubric, list[Item], list[Label]]:
    """A rubric of four criteria, 160 items in three routes, and what three raters said of 90 of them."""
    yes_no = [Criterion(id=name, question=f"Is the ANSWER {name}?") for name in ("grounded", "complete", "polite")]
    scale = Criterion(id="helpful", question="How helpful is the ANSWER?", options=tuple("12345"), scale="ordinal")
    rubric = Rubric(id="rag", criteria=(*yes_no, scale))
    items = [
        Item(id=f"q{n:03}", input=f"What is fact {n}?", context=f"Fact {n} is so.", output="It is so.",
             fields={"route": ("mail", "chat", "fax")[min(n % 20, 2)]})
        for n in range(160)
    ]  # fmt: skip
    labels = []
    for item in items[:90]:
        for criterion in rubric.criteria:
            for rater, slip in (("ana", 0.03), ("luis", 0.06), ("mei", 0.1)):
                for repeat in range(2 if item.id < "q010" and rater == "ana" else 1):
                    answer = _answer(_truth(item, criterion), criterion, slip, rng)
                    skipped = rater == "mei" and rng.random() < 0.05
                    labels.append(
                        Label(subject=item.id, criterion=criterion.id, criterion_digest=criterion.digest, rater=rater,
                              answer=None if skipped else answer, skipped="unclear" if skipped else None, repeat=repeat,
                              seconds=20 + 30 * rng.random(), blind=True)
                    )  # fmt: skip
    return rubric, items, labels


def _truth(item: Item, criterion: Criterion) -> int:
    """The right answer's place: of the items a share passes, and which hangs on the item alone."""
    return int(digest((item.id, criterion.id))[:6], 16) * len(criterion.options) // 16**6


def _answer(truth: int, criterion: Criterion, slip: float, rng: random.Random) -> str:
    moved = truth + (rng.choice((-1, 1)) if rng.random() < slip else 0)
    return criterion.options[min(max(moved, 0), len(criterion.options) - 1)]


def _judgements(rubric: Rubric, items: list[Item], rng: random.Random, slip: float) -> list[Judgement]:
    """What a judge says that is wrong so often; of some items nothing."""
    name = "house" if slip < 0.2 else "cheap"
    found = []
    for item in items:
        for criterion in rubric.criteria:
            answer = _answer(_truth(item, criterion), criterion, slip, rng)
            sure, options = 0.6 + 0.38 * rng.random(), criterion.options
            probs = tuple(sure if x == answer else (1 - sure) / (len(options) - 1) for x in options)
            lost = rng.random() < 0.02
            quoted = (Evidence(text="is so", field="answer", start=3, end=8),)
            found.append(
                Judgement(
                    subject=item.id, subject_digest=item.digest, criterion=criterion.id,
                    criterion_digest=criterion.digest, judge=name, identity=digest(name),
                    status="unparsed" if lost else "ok", reason="It stands there.", evidence=quoted,
                    belief=None if lost else Distribution(options=options, probs=probs, source="logprobs"),
                )
            )  # fmt: skip
    return found


def _card(name: str, rubric: Rubric) -> JudgeCard:
    return JudgeCard(
        judge=name, identity=digest(name), rubric=rubric.id, rubric_digest=rubric.digest, kind="language model",
        model="small-judge-2026", settings={"samples": 1, "temperature": 0.0, "strict": False, "reason_length": None},
        prompt="Judge {answer} by {criteria}.", asked=(Message(role="user", content="Judge it."),), asked_of="q000",
        served=(ServedBy(name="small@fp1", judgements=640, last="2026-03-01T12:00:00+00:00"),), judgements=640,
        calls=160, input=120500, output=9100, cached=40000, cost=0.0483, priced=640,
        command=f"fiel judge --judge {name}",
    )  # fmt: skip


def _sample(rubric: Rubric) -> SampleCard:
    strata = (Stratum(name="mail", size=80, drawn=45), Stratum(name="chat", size=80, drawn=45))
    return SampleCard(
        rubric=rubric.digest, name="spring", digest="ab" * 32, parent="cd" * 32, items=90, labels=1068,
        design=Design(kind="stratified", frame=160, seed=7, by="route", strata=strata, planned=90,
                      reason="a width of 0.15", stages=(60, 30)),
        seen=(Seen(what="results, while study spring was open", by="eva", at="2026-02-27T09:00:00+00:00",
                   command="fiel validate --unblind"),),
    )  # fmt: skip


@pytest.fixture(scope="session")
def single(full: Report) -> Report:
    """The same of its first judge alone."""
    first = full.validations[0]
    return msgspec.structs.replace(
        full,
        validations=(first,),
        between=(),
        rates=tuple(rate for rate in full.rates if rate.judge == first.judge),
        judges=full.judges[:1],
    )


@pytest.fixture(scope="session")
def short(single: Report) -> Report:
    """The same on its last criterion, the ordinal one, alone: each element of a page, and not much of it."""
    first, people_ = single.validations[0], single.people[0]
    return msgspec.structs.replace(
        single,
        validations=(msgspec.structs.replace(first, criteria=first.criteria[3:]),),
        people=(msgspec.structs.replace(people_, criteria=people_.criteria[3:]),),
        rates=single.rates[3:],
        cases=tuple(case for case in single.cases if case.work.criterion == first.criteria[3].criterion),
    )


@pytest.fixture(scope="session")
def pages(report: Report, spanish: Report, full: Report, single: Report, page: str) -> dict[str, str]:
    """Reports as HTML, each made once, by the names of their fixtures."""
    return {"report": page, "spanish": to_html(spanish), "full": to_html(full), "single": to_html(single)}


@pytest.fixture(scope="session")
def full_page(pages: dict[str, str]) -> str:
    """The report with everything in it."""
    return pages["full"]
