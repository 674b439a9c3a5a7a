"""The command line: parse, call, print, exit. Computes nothing."""

from fiel.cli._app import app, main

__all__ = ["app", "main"]
