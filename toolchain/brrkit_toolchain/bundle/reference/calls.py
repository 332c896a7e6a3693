"""Section "Random bytes" of the specification, for a call with several words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from brrkit_toolchain.bundle.reference.mechanisms.mechanism import Contents, Specified
from brrkit_toolchain.bundle.reference.numbers import Read
from brrkit_toolchain.bundle.reference.policy import coin


def released_together(
    contents: Contents,
    specified: Specified,
    inputs: Sequence[int | None],
    epsilon: float,
    parameters: Mapping[str, Any],
    read: Read,
    policy: Mapping[str, Any],
) -> list[int]:
    """Return the outputs of one call for the words of one text.

    First come the bytes of step 1 for all words. Then, if words pass, the coin and the mechanism's
    bytes of each word; else the randomizer's for all words, then the uniform integers for all.

    Args:
        contents: the codes and masses.
        specified: the mechanism.
        inputs: id of each word; None for an unknown word under the policy ``random``.
        epsilon: epsilon of the call.
        parameters: parameters of the mechanism.
        read: source of random bytes.
        policy: object ``policy`` of a manifest.
    """
    ids = [contents.draw(read) if known is None else known for known in inputs]
    codes = [contents.codes[word_id].tobytes() for word_id in ids]
    together = specified.flips and "passing" not in policy
    noise = [read(32 * len(code)) if together else b"" for code in codes]
    outputs: list[int] = []
    for known, code, drawn in zip(inputs, codes, noise, strict=True):
        passes = coin(policy, known, read)
        own = BytesIO(drawn)
        result = specified.release(
            contents,
            code,
            epsilon,
            lambda size, own=own: own.read(size) or read(size),
            outputs[-1] if outputs else None,
            **parameters,
        )
        outputs.append(known if passes and known is not None else result.word_id)
    return outputs
