"""How often corrected intervals hold the known rate of real, fully labelled sets, beside ARES on the same draws.

Every item of these sets has an answer of people and one of a judge, so that the rate over all is known. Of each set,
criterion and judge 1,000 samples are drawn and labelled: 60 clusters with one item each (60 items at random where there
are not so many clusters, or none), and 20 whole clusters. The interval is the one of `fiel estimate`: a test shows that
they are equal. ARES knows no clusters. `--quick` draws 40 of each from a few cells of each set. A goal is missed where
it is missed by more than three standard errors of the simulation. The data are the published sets beside this
repository, or in the folder that `--data` names.
"""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from _common import Row, arguments, show
from _coverage_rivals import Floats, ares
from fiel.interop import Content, find_tables, read_tables, understand
from fiel.records import Criterion
from fiel.stats import Estimate, ppi_mean

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "real"
SETS = {  # and whether `group` names clusters: of the messages it names the file that they stood in
    "alttest_10k_prompts": False,
    "alttest_framing": True,
    "alttest_summeval": True,
    "alttest_wax": True,
    "basse_es": True,
    "llmrubric_synth": True,
    "mtbench": True,
    "pandalm": True,
    "sms_cascade": False,
    "triviaqa_judges": True,
}
_PASSES: dict[str, dict[str, Any]] = {"llmrubric_synth": {"repeat": "key_round", "probs_from": "logprobs"}}
_SEED, _LABELS, _WHOLE, _GOAL = 20251201, 60, 20, 0.93
_QUICK = 3  # cells of each set

Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]


class Population(NamedTuple):
    """A set on one criterion with one judge: the items that people and judge answered, N of them, sorted by id.

    Args:
        y: shape (N,), 1 where people let an item pass, 0 where they do not, 1/2 where they tie between the two.
        f: shape (N,), P(passing) of the judge; where it answered without a belief, the mean of its beliefs.
        clusters: shape (N,); None where each item stands alone.
    """

    name: str
    criterion: str
    judge: str
    ids: tuple[str, ...]
    y: Floats
    f: Floats
    clusters: Codes | None

    @property
    def in_clusters(self) -> Codes:
        """The cluster of each item, its own where each stands alone."""
        return np.arange(len(self.y)) if self.clusters is None else self.clusters


class Cell(NamedTuple):
    """What came of one population under one design; widths are means within 0..1."""

    population: Population
    design: str
    held: float
    width: float
    held_ares: float
    width_ares: float


def content_of(folder: Path) -> Content:
    """A published set, as `fiel import` reads it."""
    return understand(read_tables(find_tables(folder)), name=folder.name, **_PASSES.get(folder.name, {}))


def populations(name: str, content: Content) -> Iterator[Population]:
    """Every criterion and judge of a set."""
    for criterion in content.rubric.criteria:
        truth = _truth(content, criterion)
        for judge, said in content.judgements.items():
            beliefs = {
                x.subject: None if x.belief is None else x.belief.share_of(criterion.passes)
                for x in said
                if x.criterion == criterion.id and x.status != "inapplicable" and x.subject in truth
            }
            known = [x for x in beliefs.values() if x is not None]
            if not known:
                continue
            ids, blank = tuple(sorted(beliefs)), float(np.mean(known))
            f = np.array([blank if (x := beliefs[item]) is None else x for item in ids])
            y = np.array([truth[item] for item in ids])
            yield Population(name, criterion.id, judge, ids, y, np.minimum(f, 1.0), _clusters(name, content, ids))


def _truth(content: Content, criterion: Criterion) -> dict[str, float]:
    """What a rate counts of each item: 1 or 0 by the answer most given, 1/2 in a tie between passing and not."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for label in content.labels:
        if label.criterion == criterion.id and label.answer is not None and not label.repeat:
            votes[label.subject][label.answer] += 1
    truth = {}
    for item, counts in votes.items():
        leading = {answer in criterion.passes for answer, count in counts.items() if count == max(counts.values())}
        truth[item] = 0.5 if len(leading) > 1 else float(leading.pop())
    return truth


def _clusters(name: str, content: Content, ids: Sequence[str]) -> Codes | None:
    group = {item.id: item.group for item in content.items}
    if not SETS[name]:
        return None
    return np.unique([str(group[item]) for item in ids], return_inverse=True)[1].astype(np.int64)


def one_each(population: Population, rng: np.random.Generator) -> Flags:
    """60 items with equal chances, each from another cluster: every N/60-th of the clusters in random order."""
    order = _shuffled(population, rng)
    step = len(order) / _LABELS
    return _mask(order[(rng.random() * step + step * np.arange(_LABELS)).astype(np.int64) % len(order)], len(order))


def at_random(population: Population, rng: np.random.Generator) -> Flags:
    """60 items at random, from whatever clusters."""
    return _mask(rng.permutation(len(population.y))[:_LABELS], len(population.y))


def whole_clusters(population: Population, rng: np.random.Generator) -> Flags:
    """All items of 20 clusters."""
    clusters = population.in_clusters
    found: Flags = np.isin(clusters, rng.permutation(clusters.max() + 1)[:_WHOLE])
    return found


def _shuffled(population: Population, rng: np.random.Generator) -> Codes:
    """The items, clusters in random order and each in one piece."""
    clusters = population.in_clusters
    place = rng.permutation(clusters.max() + 1)[clusters]
    return np.lexsort((rng.random(len(place)), place))


def _mask(rows: Codes, size: int) -> Flags:
    mask = np.zeros(size, dtype=bool)
    mask[rows] = True
    return mask


def designs(population: Population) -> dict[str, Callable[[Population, np.random.Generator], Flags]]:
    """The ways of drawing that a set has clusters enough for."""
    clusters = 0 if population.clusters is None else int(population.clusters.max()) + 1
    found: dict[str, Callable[[Population, np.random.Generator], Flags]] = {}
    if clusters >= _LABELS:
        found["60 clusters, one item"] = one_each
    else:
        found["60 items"] = at_random
    if clusters > _WHOLE:
        found["20 whole clusters"] = whole_clusters
    return found


def corrected(population: Population, drawn: Flags, **options: Any) -> Estimate:
    """The corrected rate, from the labels of the items drawn."""
    y, f, clusters = population.y, population.f, population.clusters
    if clusters is not None:
        options |= {"clusters": clusters[drawn], "clusters_unlabelled": clusters[~drawn]}
    return ppi_mean(y[drawn], f[drawn], f[~drawn], **options)


def run(population: Population, design: str, draws: int) -> Cell:
    """Draw, estimate, and count how often the rate over all items is held."""
    seed = [_SEED, *f"{population.name} {population.criterion} {design}".encode()]
    rng, truth = np.random.default_rng(seed), float(population.y.mean())
    draw = designs(population)[design]
    ours, theirs = np.zeros((draws, 2)), np.zeros((draws, 2))
    for row in range(draws):
        drawn = draw(population, rng)
        found = corrected(population, drawn)
        ours[row] = (2.0, 2.0) if found.low is None or found.high is None else (found.low, found.high)
        theirs[row] = ares(population.y[drawn], population.f[drawn], population.f[~drawn])
    return Cell(population, design, *_summed(ours, truth), *_summed(theirs, truth))


def _summed(limits: Floats, truth: float) -> tuple[float, float]:
    """How often the truth was held, and the mean width within 0..1."""
    low, high = limits.T
    held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    return float(held.mean()), float((np.clip(high, 0, 1) - np.clip(low, 0, 1)).mean())


def table(cells: Sequence[Cell]) -> None:
    """A line for each cell."""
    print(f"{'set, criterion, judge':64}{'rate':>6}{'design':>23}{'fiel':>7}{'ARES':>7}{'width / ARES':>14}")
    for cell in cells:
        name = f"{cell.population.name}, {cell.population.criterion}, {cell.population.judge}"
        ratio = f"{cell.width / cell.width_ares:14.2f}" if cell.width_ares > 0 else f"{'-':>14}"
        rate = cell.population.y.mean()
        print(f"{name:64}{rate:6.3f}{cell.design:>23}{cell.held:7.3f}{cell.held_ares:7.3f}{ratio}")


def rows(cells: Sequence[Cell], draws: int) -> list[Row]:
    """A row for each set and design: the lowest coverage, beside that of ARES."""
    least = _GOAL - 3 * math.sqrt(_GOAL * (1 - _GOAL) / draws)
    found = []
    for (name, design), grouped in groupby(
        sorted(cells, key=lambda cell: (cell.population.name, cell.design)),
        key=lambda cell: (cell.population.name, cell.design),
    ):
        mine = list(grouped)
        worst = min(mine, key=lambda cell: cell.held)
        peer = min(cell.held_ares for cell in mine)
        under, theirs = sum(cell.held < _GOAL for cell in mine), sum(cell.held_ares < _GOAL for cell in mine)
        text = f"{name}, {design}: lowest coverage of {len(mine)} cells, {under} under .93 (ARES {theirs})"
        ratio = worst.held / peer if peer > 0 else None
        found.append(Row(text, worst.held, peer, ratio, f">= {least:.3f}", worst.held >= least))
    return found


def main() -> None:
    """Draw from every set, print cells and rows."""
    options = arguments(
        __doc__ or "",
        draws="from each cell (1000, or 40 with --quick)",
        data="the folder of the published sets",
        sets=f"{','.join(SETS)} (all by default)",
    )
    draws = int(options.draws or (40 if options.quick else 1_000))
    folder = Path(options.data) if options.data else REAL
    if not folder.is_dir():
        sys.exit(f"There are no data sets in {folder}. Name their folder with --data.")
    cells: list[Cell] = []
    for name in options.sets.split(",") if options.sets else SETS:
        every = list(populations(name, content_of(folder / name)))
        chosen = every[:: max(1, len(every) // _QUICK)][:_QUICK] if options.quick else every
        mine = [run(population, design, draws) for population in chosen for design in designs(population)]
        if not options.json:
            table(mine)
            sys.stdout.flush()
        cells += mine
    show(rows(cells, draws), as_json=options.json)


if __name__ == "__main__":
    main()
