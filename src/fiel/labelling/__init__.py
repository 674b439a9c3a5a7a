"""Blind labelling: draws samples, hands them out, takes answers. Knows no judge."""
