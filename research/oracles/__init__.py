"""The field's frequency oracles, beside k-ary randomized response."""
