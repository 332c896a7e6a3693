"""Attackers who name the writers of released texts, or recognize released texts.

``named`` measures the success of naming writers, and ``recognized`` that of recognizing texts.
``models`` contains the models of writers, and ``labeled_texts`` reads the texts.
"""
