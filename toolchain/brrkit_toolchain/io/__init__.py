"""Input and output: tables, lines of text, atomic outputs; signals; the machine."""
