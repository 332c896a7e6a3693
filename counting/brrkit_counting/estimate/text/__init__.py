"""Estimates from reports of text: likelihood, intervals, what differs."""
