"""The labelling and adjudication pages. Reaches a Desk and nothing else."""
