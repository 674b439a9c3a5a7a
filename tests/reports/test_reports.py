from __future__ import annotations

import subprocess
import sys


def test_importing_the_room_loads_nothing_heavy():
    """rich, jinja2 and vl_convert are loaded when something is printed or drawn."""
    code = "import sys, fiel.reports; print([name for name in ('rich', 'jinja2', 'vl_convert') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
