"""Protocols that find words which nobody listed."""
