"""Other tools' files, in and out. Knows nothing of the network."""
