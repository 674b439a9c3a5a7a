"""What the plans of fiel.stats promise, and what samples of the planned size show. Seeded; prints tables."""

import math
from typing import Any

import numpy as np
from scipy.special import betaincinv

from _common import Row, arguments, show
from fiel.stats import (
    clopper_pearson,
    minimum_detectable_difference,
    newcombe_paired_difference,
    ppi_mean,
    ppi_sample_size,
    proportion_sample_size,
    wilson,
)

OTHERS = 5000  # items that the judge alone has judged
Arrays = tuple[Any, Any]


def judged(rng: np.random.Generator, n: int, shift: float, rate: float) -> Arrays:
    """Yes/no labels, and the probabilities of a judge whose scores stand `shift` from the line on either side."""
    y = (rng.random(n) < rate).astype(float)
    return y, 1 / (1 + np.exp(-2 * shift * (rng.normal(size=n) + np.where(y == 1, shift, -shift))))


def plans_with_a_judge(draws: int) -> list[Row]:
    """Mean width, and share of lower bounds at the bar, of samples of the planned size."""
    rows = []
    rng = np.random.default_rng(20251130)
    for accuracy, shift in ((0.8, 0.8416), (0.9, 1.2816), (0.95, 1.6449)):
        for rate in (0.5, 0.9, 0.95):
            bar = rate - 0.1
            rho = float(np.corrcoef(judged(rng, 10**6, shift, rate))[0, 1])
            sizes = [
                ppi_sample_size(rate, rho=rho, n_unlabelled=OTHERS, width=0.12),
                ppi_sample_size(rate, rho=rho, n_unlabelled=OTHERS, bar=bar),
            ]
            widths, passed = [], np.zeros(2)
            for _ in range(draws):
                y, f = judged(rng, sizes[0] + OTHERS, shift, rate)
                n = sizes[0]
                found = ppi_mean(y[:n], f[:n], f[n:], method="ess-beta")
                widths.append((found.high or 0.0) - (found.low or 0.0))
                n = sizes[1]
                y, f = judged(rng, n + OTHERS, shift, rate)
                for column, method in enumerate(("ess-beta", "auto")):
                    bound = ppi_mean(y[:n], f[:n], f[n:], method=method, side="lower").low  # type: ignore[arg-type]
                    passed[column] += (bound or 0.0) >= bar
            of = f"accuracy {accuracy}, rate {rate}, rho {rho:.2f}"
            width, power = float(np.mean(widths)), passed / draws
            planned = f"mean width of {sizes[0]} labels, planned for 0.12, {of}"
            rows.append(Row(planned, width, 0.12, width / 0.12, "<= 1.1", width <= 1.1 * 0.12))
            for method, found_power in zip(("ess-beta", "auto"), power.tolist(), strict=True):
                name = f"power of {sizes[1]} labels, planned for 0.8, {method}, {of}"
                rows.append(Row(name, found_power, 0.8, found_power / 0.8, ">= 0.9", found_power >= 0.9 * 0.8))
    return rows


def cost_of_tuning(draws: int) -> None:
    """Mean width of samples by the width projected without and with the term for the tuning of lambda."""
    print("\nwidth by the projected one, accuracy 0.95, not recalibrated: without the term for lambda / with it")
    rng, shift = np.random.default_rng(20251130), 1.6449
    for rate in (0.5, 0.9, 0.95):
        rho2 = float(np.corrcoef(judged(rng, 10**6, shift, rate))[0, 1]) ** 2
        for n in (60, 100, 300):
            widths = []
            for _ in range(draws):
                y, f = judged(rng, n + OTHERS, shift, rate)
                found = ppi_mean(y[:n], f[:n], f[n:], method="ess-beta", recalibrate=False)
                widths.append((found.high or 0.0) - (found.low or 0.0))
            spread, shown = n * rate * (1 - rate), []
            for term in (0.0, rho2 * (1 - 2 * rate) ** 2 / spread):
                size = n / min(1 - rho2 * OTHERS / (n + OTHERS) + term + 0.5 / spread, 1.0)
                low, high = (betaincinv(size * rate + 0.5, size * (1 - rate) + 0.5, p) for p in (0.025, 0.975))
                shown.append(f"{np.mean(widths) / (high - low):.3f}")
            print(f"rate {rate:.2f}  n {n:4d}  {' / '.join(shown)}")


def paired_intervals(draws: int) -> None:
    """Coverage of the paired difference: method 10, the same without its correction, and Wald."""
    print("\npaired differences, coverage of 95 % intervals (share of intervals without a width)")
    print("   n  both/a/b/neither     newcombe  uncorrected    wald")
    rng = np.random.default_rng(20251130)
    for n in (20, 50, 100):
        for cells in ((0.4, 0.1, 0.1, 0.4), (0.85, 0.05, 0.05, 0.05), (0.92, 0.02, 0.02, 0.04), (0.7, 0.2, 0.05, 0.05)):
            truth, hits, flat = cells[1] - cells[2], np.zeros(3), np.zeros(3)
            for both, only_a, only_b, neither in rng.multinomial(n, cells, size=draws).tolist():
                limits = paired_limits(both, only_a, only_b, neither)
                hits += [low <= truth <= high for low, high in limits]
                flat += [high - low < 1e-9 for low, high in limits]
            shown = "  ".join(f"{hit / draws:.3f} ({none / draws:.2f})" for hit, none in zip(hits, flat, strict=True))
            print(f"{n:4d}  {'/'.join(map(str, cells)):20s} {shown}")


def paired_limits(both: int, only_a: int, only_b: int, neither: int) -> list[tuple[float, float]]:
    """Method 10, the same with the correlation as it is, and the normal interval."""
    n = both + only_a + only_b + neither
    a = [1] * (both + only_a) + [0] * (only_b + neither)
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    found = newcombe_paired_difference(a, b)
    one, other = wilson(both + only_a, n), wilson(both + only_b, n)
    ends = [(x.value or 0.0, x.low or 0.0, 1.0 if x.high is None else x.high) for x in (one, other)]
    (pa, la, ua), (pb, lb, ub) = ends
    spread = pa * (1 - pa) * pb * (1 - pb)
    phi = (both / n - pa * pb) / math.sqrt(spread) if spread > 0 else 0.0
    low = math.sqrt(max((pa - la) ** 2 - 2 * phi * (pa - la) * (ub - pb) + (ub - pb) ** 2, 0))
    high = math.sqrt(max((ua - pa) ** 2 - 2 * phi * (ua - pa) * (pb - lb) + (pb - lb) ** 2, 0))
    wald = 1.959964 * math.sqrt(max(only_a + only_b - (only_a - only_b) ** 2 / n, 0)) / n
    d = pa - pb
    return [(found.low or 0.0, found.high or 0.0), (d - low, d + high), (d - wald, d + wald)]


def gates() -> None:
    """Labels for a gate by the bound it uses, and how often each bound passes a rate that stands on the bar."""
    print("\ngates: labels for power 0.8 at a bar of 0.85, and wrong passes of a rate on the bar at that size")
    print("rate   clopper-pearson  wrong |  wilson  wrong")
    rng = np.random.default_rng(20251130)
    for rate in (0.90, 0.92, 0.95, 0.98):
        shown = []
        for method, interval in (("clopper-pearson", clopper_pearson), ("wilson", wilson)):
            n = proportion_sample_size(rate, bar=0.85, method=method)  # type: ignore[arg-type]
            cleared = np.array([(interval(k, n, side="lower").low or 0.0) >= 0.85 for k in range(n + 1)])
            shown.append(f"{n:6d}  {cleared[rng.binomial(n, 0.85, size=400_000)].mean():.3f}")
        print(f"{rate:.2f}        " + " |".join(shown))


def differences() -> None:
    """The smallest difference found with power 0.8, of pairs and of two samples."""
    print("\nminimum_detectable_difference, power 0.8")
    print("   n  pairs: 10 % / 20 % / 40 % differ    other items: rate 0.5 / 0.8")
    for n in (50, 100, 200, 500, 1000):
        pairs = " / ".join(f"{minimum_detectable_difference(n, discordance=x):.3f}" for x in (0.1, 0.2, 0.4))
        others = " / ".join(f"{minimum_detectable_difference(n, rate=x):.3f}" for x in (0.5, 0.8))
        print(f"{n:4d}  {pairs:32s} {others}")


def main() -> None:
    """Simulate, measure and print."""
    options = arguments(__doc__ or "")
    draws = 50 if options.quick else 1000
    show(plans_with_a_judge(draws), as_json=options.json)
    if not options.json:
        cost_of_tuning(draws)
        paired_intervals(2 * draws)
        gates()
        differences()


if __name__ == "__main__":
    main()
