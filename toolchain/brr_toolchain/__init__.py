"""brrkit's toolchain: from pretrained embeddings to a verified bundle."""

DEFAULT_BITS = 256
DEFAULT_METHOD = "autoencoder"
