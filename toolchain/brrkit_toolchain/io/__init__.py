"""Files in and out: tables, lines of text, outputs at once or not at all; signals, the machine."""
