"""Results -> terminal, HTML, JSON, JUnit, Markdown. Computes nothing.

rich, jinja2 and vl-convert are loaded when something is printed or drawn, so that importing this room costs little.
"""

from fiel.reports._bundle import Case, JudgeCard, Report, SampleCard, Seen, ServedBy
from fiel.reports._compared import print_decided, print_differences, print_revisions
from fiel.reports._html import to_html
from fiel.reports._json import to_json
from fiel.reports._junit import to_junit
from fiel.reports._markdown import to_markdown
from fiel.reports.terminal import print_decisions, print_rates, print_validation, print_validations

__all__ = [
    "Case",
    "JudgeCard",
    "Report",
    "SampleCard",
    "Seen",
    "ServedBy",
    "print_decided",
    "print_decisions",
    "print_differences",
    "print_rates",
    "print_revisions",
    "print_validation",
    "print_validations",
    "to_html",
    "to_json",
    "to_junit",
    "to_markdown",
]
