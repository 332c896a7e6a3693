"""What is secret, and what is nobody's secret: lists from files, checked, for a bundle's policy."""
