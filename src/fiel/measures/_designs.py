"""How the labelled items were drawn, in words. Computes nothing."""

from __future__ import annotations

from fiel.measures._inputs import Inputs
from fiel.measures._words import counted


def design_of(inputs: Inputs) -> str:
    """The design in a sentence."""
    design = inputs.design
    frame = "" if design.frame is None else f" from {counted(design.frame, 'item')}"
    seed = "" if design.seed is None else f", seed {design.seed}"
    if design.kind == "unknown":
        return "Nothing says how the labelled items were drawn."
    if design.kind == "convenience":
        return "The labelled items were picked at convenience."
    if design.kind == "census":
        return "Every item of the frame was to be labelled."
    by = f", stratified by {design.by}" if design.by else ""
    weights = ", with unequal chances: figures are weighted by the design" if inputs.uneven else ""
    return f"The labelled items were drawn at random{frame}{by}{seed}{weights}."
