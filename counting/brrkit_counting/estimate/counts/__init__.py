"""Estimates from reports made for counts: shares in closed form, and their changes."""
