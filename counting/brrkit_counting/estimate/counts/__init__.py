"""Estimates from reports made for counts: in closed form, and what changed."""
