"""Whole sentences: an autoencoder whose latent vector is released with exact noise (ADePT)."""
