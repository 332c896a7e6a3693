"""The inequality between pairs of inputs: which are compared, on which events, with what bound."""
