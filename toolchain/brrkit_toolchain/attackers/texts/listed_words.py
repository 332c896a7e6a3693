"""Attack success on the words of a policy's list, with and without the released text.

Attackers know that the word is on the list. All its words are typed as one word, so each makes a
released word equally likely. Attackers who see the whole release are right as often as those who
see none of it.
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
    """The attack success of attackers who know that a word is on a list.

    It is over the list's words of the vocabulary; attackers don't guess forms.

    Attributes:
        tokens: number of typed words of the list, including its forms.
        forms: number of these that are outside the vocabulary.
        prior: success of an attacker who knows the words' frequencies.
        neighbors: success of one who knows the language, and all other words of the text as typed.
        everything: success of one who also sees the release.
        inside: probability that a word of the list is released.
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
    """Return the attack success on each list with a typed word, by the list's name.

    Args:
        knows: the attackers' knowledge of the language.
        evidence: their knowledge of the mechanism, and of the policy.
        typed: the texts.
        released: ids of the outputs for each text.
        before: ids of the outputs before each of these.
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
    """Return the attack success of attackers who know that words are on a list.

    Args:
        members: ids of the list's members, ascending.
        places: places of its typed words: a text's number, and the token's number in it; at least
            one is a word of the vocabulary.
        knows: the attackers' knowledge of the language.
        evidence: their knowledge of the mechanism, and of a policy.
        typed: the texts.
        came_out: ids of the outputs for each text, and of the outputs before each of these.
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
        seen[row] = likely / likely[0]  # 1 where the output reveals nothing about the word
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
    """Return the probability [t] that the first guess is right, by the ``belief`` [t, m]."""
    unknown = np.zeros((len(belief), 1), np.float32)
    kinds = np.zeros((0, belief.shape[1] + 1), np.bool_)
    return judge(np.hstack([belief, unknown]), own, kinds)[:, 0, 0]
