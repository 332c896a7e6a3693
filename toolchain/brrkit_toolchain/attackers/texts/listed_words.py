"""Which word of a list of the policy was typed: what attackers know anyway, and what they learn.

They know that the word is one of the list. Its words are typed as one, so a released word is as
likely after each of them: who sees all that was released is right as often as who sees none of it.
Proof: ``docs/explanation/proofs.md``, "Lists".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.setting import Estimate
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.readers.batching import Floats, Ids
from brrkit_toolchain.attackers.texts.readers.neighbor_reader import NeighborReader
from brrkit_toolchain.attackers.texts.success import judge, mean_over_texts
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.language.texts import TypedText


@dataclass(frozen=True)
class ListAttack:
    """How often attackers name the word of a list, who know that it is one.

    Their success is over the words of the vocabulary; forms aren't among their guesses.

    Attributes:
        tokens: typed words of the list, its forms among them.
        forms: of these, words outside the vocabulary.
        prior: success of who knows how frequent words are.
        neighbors: of who knows the language, and all other words of the text as typed.
        everything: of who sees what was released, too.
        inside: how often a word of the list came out.
    """

    tokens: int
    forms: int
    prior: Estimate
    neighbors: Estimate
    everything: Estimate
    inside: Estimate


def attack_lists(
    knows: Knowledge,
    evidence: Evidence,
    typed: Sequence[TypedText],
    released: Sequence[Ids],
    before: Sequence[Ids],
) -> dict[str, ListAttack]:
    """Return what attackers learn of each list of which a word was typed; by the list's name.

    Args:
        knows: what the attackers know of the language.
        evidence: what they know of the mechanism, and of the policy.
        typed: the texts.
        released: ids of what came out for each.
        before: ids of what came out before each of these.
    """
    if evidence.typed is None:
        return {}
    found = {}
    for name, head in evidence.typed.heads.items():
        places = [
            (number, place)
            for number, text in enumerate(typed)
            for place in np.flatnonzero(text.typed_as == head).tolist()
        ]
        if any(typed[number].ids[place] < len(evidence.scales) for number, place in places):
            members = evidence.typed.of_list(name)
            found[name] = attack_list(members, places, knows, evidence, typed, (released, before))
    return found


def attack_list(
    members: NDArray[np.intp],
    places: Sequence[tuple[int, int]],
    knows: Knowledge,
    evidence: Evidence,
    typed: Sequence[TypedText],
    came_out: tuple[Sequence[Ids], Sequence[Ids]],
) -> ListAttack:
    """Return what attackers learn who know that words are of a list.

    Args:
        members: of the list, ascending.
        places: where words of it were typed: a text's number, and the token's in that; at least one
            is of the vocabulary.
        knows: what the attackers know of the language.
        evidence: what they know of the mechanism, and of a policy.
        typed: the texts.
        came_out: ids for each text, and what came out before each of these.
    """
    released, before = came_out
    texts = np.array([number for number, _ in places], np.intp)
    words = np.array([typed[number].ids[place] for number, place in places], np.int32)
    known = words < len(evidence.scales)
    inside = np.isin([released[number][place] for number, place in places], members)
    neighbors = NeighborReader(knows.bigrams)
    alone, seen = np.empty((2, int(known.sum()), len(members)), np.float32)
    for row, i in enumerate(np.flatnonzero(known).tolist()):
        number, place = places[i]
        here = slice(place, place + 1)
        alone[row] = neighbors(typed[number].ids, here)[0, members]
        likely = evidence.likelihoods(released[number][here], before[number][here])[0, members]
        seen[row] = likely / likely[0]  # 1 where it tells nothing of the word
    own = np.searchsorted(members, words[known]).astype(np.int32)
    prior = np.tile(knows.bigrams.words[members].astype(np.float32), (len(own), 1))

    def success(belief: Floats) -> Estimate:
        return mean_over_texts(_right(belief, own), texts[known])

    return ListAttack(
        tokens=len(places),
        forms=int(np.count_nonzero(~known)),
        prior=success(prior),
        neighbors=success(alone),
        everything=success(alone * seen),
        inside=mean_over_texts(inside.astype(np.float32), texts),
    )


def _right(belief: Floats, own: NDArray[np.int32]) -> Floats:
    """Return how probably the first guess [t] is right, by a ``belief`` [t, m] in the members."""
    unknown = np.zeros((len(belief), 1), np.float32)
    kinds = np.zeros((0, belief.shape[1] + 1), np.bool_)
    return judge(np.hstack([belief, unknown]), own, kinds)[:, 0, 0]
