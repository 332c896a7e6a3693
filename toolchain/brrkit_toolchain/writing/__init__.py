"""The writing of languages: a table of languages, and the detection of a vocabulary's language."""
