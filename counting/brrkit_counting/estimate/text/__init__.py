"""Estimates from reports of text: likelihood, intervals, differences."""
