"""How languages are written: a table of languages, and which of them a vocabulary is in."""
