"""brrkit's toolchain: from pretrained embeddings to a verified bundle."""
