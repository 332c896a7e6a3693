"""Attackers that are trained on released texts."""
