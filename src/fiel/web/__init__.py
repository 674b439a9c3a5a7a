"""The labelling and adjudication pages. Reaches a Desk and nothing else."""

from fiel.web._app import app
from fiel.web._serve import address, exposure, serve

__all__ = ["address", "app", "exposure", "serve"]
