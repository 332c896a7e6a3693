"""Protocols that find words without a list."""
