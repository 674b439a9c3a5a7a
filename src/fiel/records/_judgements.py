"""A machine's opinion of one subject on one criterion. Failures are data and never become a verdict."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fiel.records._belief import Distribution
from fiel.records._exchange import Usage
from fiel.records._lines import Record

Status: TypeAlias = Literal["ok", "inapplicable", "abstained", "refused", "unparsed", "error"]


class Evidence(Record, frozen=True, kw_only=True, gc=False):
    """A fragment that is said to show the failure, and where it stands.

    `start` and `end` are character offsets in the text of `field`; both None when the fragment is not there.
    """

    text: str
    field: Literal["answer", "context", "question"]
    start: int | None = None
    end: int | None = None

    @property
    def found(self) -> bool:
        """Whether the fragment stands in the text."""
        return self.start is not None


class Judgement(Record, frozen=True, kw_only=True, gc=False):
    """What one judge said of one subject on one criterion.

    Args:
        subject: the id of the item or pair.
        subject_digest: of the text that was judged.
        criterion: its id.
        criterion_digest: of the wording that was answered.
        judge: the name under which it runs.
        identity: the digest of model, parameters, rubric, prompt and reading rule.
        served: what the server said it served, "model@fingerprint"; another one is another judge.
        status: `ok`, or why there is no belief; `inapplicable` where the criterion does not apply to the subject.
        belief: None exactly when the status is not `ok`.
        written: the option that the judge wrote, which need not be the mode of its belief.
        evidence: fragments quoted for a failure.
        reason: the judge's own words, or why it failed.
        replicate: which of several equal questions.
        order: the order in which a pair was shown.
        variant: the wording of the prompt, where several are compared.
        usage: tokens; cost: in the currency of the price list, None where the price is unknown; latency: seconds.
        request: the digest of the exact request; None where no model was asked.
    """

    subject: str
    subject_digest: str
    criterion: str
    criterion_digest: str
    judge: str
    identity: str
    served: str | None = None
    status: Status
    belief: Distribution | None = None
    written: str | None = None
    evidence: tuple[Evidence, ...] = ()
    reason: str | None = None
    replicate: int = 0
    order: Literal["ab", "ba"] | None = None
    variant: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    latency: float | None = None
    request: str | None = None

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.belief is not None):
            raise ValueError(f"status {self.status!r} with {'a' if self.belief else 'no'} belief")

    @property
    def verdict(self) -> str | None:
        """The option that the judge chose; None where it chose none."""
        return self.belief.mode if self.belief else None
