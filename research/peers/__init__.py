"""Other packages that privatize words, each in an environment of its own."""
