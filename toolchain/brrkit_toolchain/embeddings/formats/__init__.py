"""Formats of embedding files: detection by a file's first bytes, and readers of rows."""
