"""The audit's parts that each look for one mistake; the other parts compare pairs of inputs."""
