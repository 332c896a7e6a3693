"""The inequality between pairs of inputs: the pairs, their events, and the bounds."""
