"""What is known: items, criteria, beliefs, judgements, labels, designs. Knows no file, no model and no statistic."""

from fiel.records._belief import Distribution, Source
from fiel.records._checks import Check, Contains, Equals, JSONSchema, Length, Number, Regex
from fiel.records._criteria import Criterion, Rubric, Scale
from fiel.records._errors import FielError, nearest
from fiel.records._exchange import CallError, EndpointError, Message, Model, Price, Reply, Request, Token, Usage
from fiel.records._items import Item, Pair, Subject
from fiel.records._judgements import Evidence, Judgement, Status
from fiel.records._labels import Adjudication, CalibrationSet, Design, Label, Reason, Span, Stratum
from fiel.records._lines import decode, decode_lines, digest, encode, encode_lines, split_lines
from fiel.records._studies import Assignment, Given, Sample, Study, Unblinding
from fiel.records._visible import one_line, visible

__all__ = [
    "Adjudication",
    "Assignment",
    "CalibrationSet",
    "CallError",
    "Check",
    "Contains",
    "Criterion",
    "Design",
    "Distribution",
    "EndpointError",
    "Equals",
    "Evidence",
    "FielError",
    "Given",
    "Item",
    "JSONSchema",
    "Judgement",
    "Label",
    "Length",
    "Message",
    "Model",
    "Number",
    "Pair",
    "Price",
    "Reason",
    "Regex",
    "Reply",
    "Request",
    "Rubric",
    "Sample",
    "Scale",
    "Source",
    "Span",
    "Status",
    "Stratum",
    "Study",
    "Subject",
    "Token",
    "Unblinding",
    "Usage",
    "decode",
    "decode_lines",
    "digest",
    "encode",
    "encode_lines",
    "nearest",
    "one_line",
    "split_lines",
    "visible",
]
