from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "measures.md"


def test_every_example_of_the_reference_holds():
    """The code blocks of the reference page run one after the other, and what they assert is true."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 8
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102  our own page is what is tested
