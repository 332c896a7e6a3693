"""Formats of embedding files: one is detected by a file's first bytes, and its rows are read."""
