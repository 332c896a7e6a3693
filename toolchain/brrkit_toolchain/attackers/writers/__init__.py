"""Attackers who name the writers of released texts, or recognize released texts.

``named`` measures how often writers are named, and ``recognized`` how often texts are recognized.
``models`` has the models that attackers of writers learn, and ``labeled_texts`` reads the texts.
"""
