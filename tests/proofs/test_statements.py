"""What the headline theorems say is held here: one that says less no longer fits.

``proofs/theories/Statements.v`` has them with all definitions. Whoever changes what is stated reads
it again, and then writes down its new digest. A theorem behind it that is weaker doesn't compile.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from brrkit_toolchain.bundle.verify import proven

THEORIES = Path(__file__).parents[2] / "proofs" / "theories"
STATEMENTS = (THEORIES / "Statements.v").read_text("utf-8")
SCREEN = 70  # lines

HELD = {
    "a_word": "015af1b294b11af4",
    "a_day_of_counts": "6e992617da1f42fb",
    "a_shuffle": "87872e127e861341",
    "a_budget": "584f6ca7da180303",
    "an_honest_budget": "833671d737d7a7ca",
    "a_device": "a68ac81537c75af0",
    "a_device_in_a_day": "41b17b99a73f3e2f",
    "a_device_in_a_year": "efd18cc4e4d1e14a",
    "a_list": "e1d9a364e133642e",
    "checked_word": "8802b43bd3a1cda5",
    "checked_word_cap": "05cd223994fa3a15",
    "checked_text": "4c60da2eef4f86a1",
    "checked_text_cap": "196b0d6f756a0099",
    "checked_passing_text": "14f6848f5366ce13",
    "checked_flips": "20c688f7e3a171b7",
    "checked_report": "efab99de3d7f812a",
    "checked_day": "a72ab1e1249ab531",
    "checked_passing": "53b398106439b2b7",
    "checked_passing_cap": "479fc82e098e1740",
    "checked_certificate": "0124e5c6d587eff7",
    "all": "142978e203252c65",
}


def without_proofs(text: str) -> str:
    """Return the text with one space for all between words, and without proofs and lemmas."""
    bare = re.sub(r"\bProof\..*?\bQed\.", "", text, flags=re.DOTALL)
    return " ".join(bare.split())


def said(name: str) -> str:
    """Return what a theorem says."""
    return re.search(rf"Theorem {name}\b(.*?)\nProof\.", STATEMENTS, re.DOTALL)[1]  # type: ignore[index]


def digest(text: str) -> str:
    return sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def test_the_statements_say_what_they_said() -> None:
    names = re.findall(r"^Theorem (\w+)", STATEMENTS, re.MULTILINE)
    found = {name: digest(said(name)) for name in names}
    # Definitions, quotes and the premises of sections: all else that isn't a proof.
    found["all"] = digest(without_proofs(STATEMENTS))
    assert found == HELD


def test_an_added_premise_changes_them() -> None:
    weaker = STATEMENTS.replace("of_size n t c ->", "of_size n t c -> c = c' ->", 1)
    assert weaker != STATEMENTS
    assert digest(without_proofs(weaker)) != HELD["all"]


def test_nothing_is_assumed_beside_them() -> None:
    assert not re.search(r"\b(Axiom|Parameter|Conjecture|Admitted|Abort|admit)\b", STATEMENTS)
    # Section variables are quantified over, and what holds of them is a theorem's premise.
    assert not re.search(r"^\s*Hypothes[ie]s\b", STATEMENTS, re.MULTILINE)


def test_what_is_quoted_is_there() -> None:
    quotes = re.findall(r"<<(\w+\.v)\n(.*?)\n>>", STATEMENTS, re.DOTALL)
    assert {file for file, _ in quotes} >= {
        "Program.v",
        "Hamming.v",
        "Device.v",
        "Life.v",
        "Text.v",
    }
    for file, quoted in quotes:
        theory = (THEORIES / file).read_text("utf-8")
        for part in quoted.split("\n\n"):
            assert part in theory, part


def test_each_part_fits_on_a_screen() -> None:
    for part in re.split(r"^\(\*\* \*+ ", STATEMENTS, flags=re.MULTILINE)[1:]:
        bare = re.sub(r"\bProof\..*?\bQed\.\n", "", part, flags=re.DOTALL)
        assert bare.count("\n") <= SCREEN, part.split("\n")[0]


def test_their_assumptions_are_printed() -> None:
    printed = (THEORIES / "Assumptions.v").read_text("utf-8")
    for name in HELD.keys() - {"all"}:
        assert f"Print Assumptions {name}." in printed


def test_all_theorems_that_the_command_names_are_held() -> None:
    named = set(re.findall(r"\w+_(?:guarantee|same)\w*", Path(proven.__file__).read_text("utf-8")))
    assert len(named) == 12
    # By what their proofs point to; what is said of lists is said of a whole device.
    pointed = {*re.findall(r"(?:Guarantee|Certified)\.(\w+)", STATEMENTS), "policy_same"}
    assert named <= pointed
    assert "DeviceGuarantee.same_typed_same_life" in STATEMENTS
