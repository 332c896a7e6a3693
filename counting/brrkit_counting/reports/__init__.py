"""What devices send, read and added up: files, batches, what they say of their setting."""
