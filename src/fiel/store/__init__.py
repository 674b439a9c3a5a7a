"""Files and databases: project, tables, labels, judgements.

Each submodule is imported by name, so that blindness can be an import rule: who imports the labels does not reach the
judgements.
"""
