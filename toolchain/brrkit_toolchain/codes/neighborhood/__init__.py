"""The default method: free codes, trained so that Hamming neighbors are the source's neighbors."""

from .train import encode

__all__ = ["encode"]
