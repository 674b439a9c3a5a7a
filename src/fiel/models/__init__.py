"""Who answers a prompt: a model is an async callable from a request to a reply. Knows no judge and no rubric."""

from fiel.models._endpoint import Endpoint, connect
from fiel.models._local import Local, local
from fiel.models._metered import BudgetError, Metered
from fiel.models._price import cost_of
from fiel.models._replay import Recorder, Replay, record
from fiel.models._script import ScriptedModel

__all__ = [
    "BudgetError",
    "Endpoint",
    "Local",
    "Metered",
    "Recorder",
    "Replay",
    "ScriptedModel",
    "connect",
    "cost_of",
    "local",
    "record",
]
