"""A belief over the options of a criterion, with what was lost on the way. Knows no source's wire format."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal, TypeAlias

from fiel.records._criteria import numbers
from fiel.records._errors import FielError
from fiel.records._lines import Record

Source: TypeAlias = Literal[
    "logprobs", "samples", "mixture", "point", "stated", "classifier", "decision", "baseline", "check"
]
Confidence: TypeAlias = Literal["high", "medium", "low"]

_TOLERANCE = 1e-9


class Distribution(Record, dict=True, frozen=True, kw_only=True):
    """Probabilities over the options of one criterion.

    Args:
        options: as in the criterion, worst first.
        probs: one per option; they sum to 1.
        source: where they come from; beliefs of different sources are not comparable and never averaged silently.
        captured: probability mass that fell on the options before it was scaled to 1; None where the source has none.
        dropped: mass under the noise floor.
        dropped_tokens: how many alternatives were under it.
        ambiguous: mass on a beginning that several options share and the reply does not resolve.
        inapplicable: mass on "not applicable", where the criterion has that answer; like the ambiguous mass it stands
            outside `probs`.
        merged: spellings that were read as an option though they differ from it (" Yes", "８"), with their mass.
        mean_low: the mean if all ambiguous mass went to the lowest option that it may mean.
        mean_high: the same for the highest.
    """

    options: tuple[str, ...]
    probs: tuple[float, ...]
    source: Source
    captured: float | None = None
    dropped: float = 0.0
    dropped_tokens: int = 0
    ambiguous: float = 0.0
    inapplicable: float = 0.0
    merged: tuple[tuple[str, str, float], ...] = ()
    mean_low: float | None = None
    mean_high: float | None = None

    def __post_init__(self) -> None:
        if len(self.options) != len(self.probs):
            raise FielError(f"{len(self.options)} options and {len(self.probs)} probabilities.")
        if len(self.options) < 2 or min(len(set(self.options)), len(set(self.values))) < len(self.options):
            raise FielError(f"A belief needs at least two options, all different; it has {list(self.options)}.")
        if not all(math.isfinite(p) and -_TOLERANCE <= p <= 1 + _TOLERANCE for p in self.probs):
            raise FielError(f"Probabilities must lie in [0, 1]: {self.probs}.")
        if abs(math.fsum(self.probs) - 1) > 1e-6:
            raise FielError(f"Probabilities must sum to 1; they sum to {math.fsum(self.probs)}.")

    @classmethod
    def point(cls, option: str, options: tuple[str, ...], source: Source = "point") -> Distribution:
        """All the mass on one option."""
        return cls(options=options, probs=tuple(float(o == option) for o in options), source=source)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The number that each option stands for: itself where all are numbers, else its place from 0."""
        return numbers(self.options) or tuple(float(i) for i in range(len(self.options)))

    @property
    def mode(self) -> str | None:
        """The most probable option; None where two share the first place."""
        top = max(self.probs)
        first = [option for option, p in zip(self.options, self.probs, strict=True) if p >= top - _TOLERANCE]
        return first[0] if len(first) == 1 else None

    @property
    def mean(self) -> float:
        """The expected value of `values`."""
        return math.fsum(v * p for v, p in zip(self.values, self.probs, strict=True))

    @property
    def normalised_mean(self) -> float:
        """The mean as a share of the way from the lowest to the highest value.

        >>> Distribution(options=("1", "5"), probs=(0.25, 0.75), source="logprobs").normalised_mean
        0.75
        """
        low, high = min(self.values), max(self.values)
        return (self.mean - low) / (high - low)

    @property
    def variance(self) -> float:
        """In squared units of `values`."""
        centre = self.mean
        return math.fsum(p * (v - centre) ** 2 for v, p in zip(self.values, self.probs, strict=True))

    @property
    def entropy(self) -> float:
        """In bits: 0 when sure, log2(k) when all k options are equally likely."""
        return -math.fsum(p * math.log2(p) for p in self.probs if p > 0) + 0.0

    def quantile(self, share: float) -> float:
        """The smallest value at or below which at least `share` of the mass lies.

        Raises:
            FielError: `share` is not in [0, 1].
        """
        if not 0 <= share <= 1:
            raise FielError(f"A quantile is asked at a share in [0, 1], not at {share}.")
        below = 0.0
        ordered = sorted(zip(self.values, self.probs, strict=True))
        for value, p in ordered:
            below += p
            if p > 0 and below >= share - _TOLERANCE:
                return value
        return ordered[-1][0]

    def at_least(self, value: float) -> float:
        """The probability of `value` or more.

        >>> Distribution(options=("1", "2", "3"), probs=(0.2, 0.3, 0.5), source="logprobs").at_least(2)
        0.8
        """
        return math.fsum(p for v, p in zip(self.values, self.probs, strict=True) if v >= value)

    def share_of(self, options: tuple[str, ...]) -> float:
        """The probability that the answer is one of `options` (such as `criterion.passes`)."""
        return min(1.0, math.fsum(p for o, p in zip(self.options, self.probs, strict=True) if o in options))

    def confidence(self, *, high: float = 0.9, medium: float = 0.6) -> Confidence:
        """A label for the mass on the mode: `high` or `medium` at those thresholds, else `low`."""
        top = max(self.probs)
        return "high" if top >= high else "medium" if top >= medium else "low"
