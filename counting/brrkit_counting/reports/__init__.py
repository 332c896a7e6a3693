"""Reports from devices: reading and counting of files and batches, and their stated settings."""
