import subprocess
import sys

from fiel import stats


def test_every_public_name_has_a_home():
    """What `__all__` lists is what can be loaded, and nothing else."""
    assert set(stats.__all__) == set(stats._HOME_OF)
    assert all(hasattr(stats, name) for name in stats.__all__)
    assert not hasattr(stats, "no_such_name")


def test_importing_the_room_loads_none_of_it():
    """Neither numpy nor a module of the room is there before a name is used."""
    code = "import sys, fiel.stats; print([m for m in sys.modules if m.startswith(('fiel.stats.', 'numpy', 'scipy'))])"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"
