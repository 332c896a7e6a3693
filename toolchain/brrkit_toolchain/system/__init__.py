"""What the operating system does differently from what is wanted: files, signals, libraries."""
