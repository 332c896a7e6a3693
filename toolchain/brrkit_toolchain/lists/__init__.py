"""Lists of secret words and of passing words: read from files, checked, for a bundle's policy."""
