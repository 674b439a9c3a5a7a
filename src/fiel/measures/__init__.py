"""Records become tables, tables become figures and words. Pure: the same inputs give the same result. Knows no file."""

from fiel.measures._columns import ORDERS, SOURCES, STATUSES, Columns, Question, columns_of
from fiel.measures._difference import difference
from fiel.measures._draw import Drawn, draw
from fiel.measures._estimate import estimate
from fiel.measures._evidence import gate_evidence
from fiel.measures._gate import gate
from fiel.measures._label_kinds import is_preference
from fiel.measures._people import people
from fiel.measures._plan import plan
from fiel.measures._rates import rates
from fiel.measures._results import (
    Certainty,
    CriterionValidation,
    Decision,
    Plain,
    Validation,
    Verdict,
    Word,
)
from fiel.measures._results_calibration import BrierTerms, Calibration, CalibrationFigures, ReliabilityBin
from fiel.measures._results_figures import (
    AltTestFigures,
    AltTestLine,
    ClassScores,
    Figure,
    GoldScores,
    PairFigures,
    ScaleFigures,
    SliceFigures,
    SliceTable,
)
from fiel.measures._results_funnel import Funnel
from fiel.measures._results_people import Between, CriterionPeople, People, RaterFigures, Together
from fiel.measures._results_rates import Assumption, Plan, PlanPoint, Rate, RateDifference, VarianceTerms
from fiel.measures._results_work import JudgeSaid, RevisedCriterion, Revision, WorkItem, Worklist
from fiel.measures._revise import before_and_after, decisions_of, revise
from fiel.measures._several import many_words
from fiel.measures._together import between, together
from fiel.measures._validate import validate
from fiel.measures._words_table import WordRow, words_markdown, words_table
from fiel.measures._worklist import worklist

__all__ = [
    "ORDERS",
    "SOURCES",
    "STATUSES",
    "AltTestFigures",
    "AltTestLine",
    "Assumption",
    "Between",
    "BrierTerms",
    "Calibration",
    "CalibrationFigures",
    "Certainty",
    "ClassScores",
    "Columns",
    "CriterionPeople",
    "CriterionValidation",
    "Decision",
    "Drawn",
    "Figure",
    "Funnel",
    "GoldScores",
    "JudgeSaid",
    "PairFigures",
    "People",
    "Plain",
    "Plan",
    "PlanPoint",
    "Question",
    "Rate",
    "RateDifference",
    "RaterFigures",
    "ReliabilityBin",
    "RevisedCriterion",
    "Revision",
    "ScaleFigures",
    "SliceFigures",
    "SliceTable",
    "Together",
    "Validation",
    "VarianceTerms",
    "Verdict",
    "Word",
    "WordRow",
    "WorkItem",
    "Worklist",
    "before_and_after",
    "between",
    "columns_of",
    "decisions_of",
    "difference",
    "draw",
    "estimate",
    "gate",
    "gate_evidence",
    "is_preference",
    "many_words",
    "people",
    "plan",
    "rates",
    "revise",
    "together",
    "validate",
    "words_markdown",
    "words_table",
    "worklist",
]
