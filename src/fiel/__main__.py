"""`python -m fiel` is `fiel`."""

from fiel.cli import main

if __name__ == "__main__":
    main()
