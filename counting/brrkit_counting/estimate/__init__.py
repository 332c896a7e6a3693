"""Estimates of the typed words' frequencies from released words."""
