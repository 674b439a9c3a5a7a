"""Who answers a prompt: a model is an async callable from a request to a reply. Knows no judge and no rubric."""

from fiel.models._replay import Recorder, Replay, record
from fiel.models._script import ScriptedModel

__all__ = ["Recorder", "Replay", "ScriptedModel", "record"]
