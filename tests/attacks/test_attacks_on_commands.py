"""A part of the attacks on commands, small enough for every change."""

from __future__ import annotations

import commands
import interrupts


def test_wrong_calls() -> None:
    reported: list[str] = []
    assert commands.attack(30, 15, reported.append) == 0, "\n".join(reported)


def test_interrupts() -> None:
    reported: list[str] = []
    victims = tuple(interrupts.VICTIMS[place] for place in interrupts.QUICK)
    assert interrupts.attack(4, 15, victims, reported.append) == 0, "\n".join(reported)


def test_interrupts_of_a_build_s_threads() -> None:
    reported: list[str] = []
    assert interrupts.attack(2, 15, interrupts.VICTIMS[1:2], reported.append) == 0, "\n".join(
        reported
    )


def test_the_judges_notice() -> None:
    """What a broken command would do is found, each by itself."""
    call = commands.Call(("inspect", "bundle"), sure=True)
    right = commands.Outcome(1, "", "Error: bundle: no such folder; make one\n")
    assert commands.judge(call, right, {"a": "1"}, {"a": "1"}) == []
    shown = commands.Outcome(1, "", f"Error: {commands.CANARY} isn't a column\n")
    assert commands.judge(call, shown, {"a": "1"}, {"a": "1"}) == ["typed text is shown"]
    for outcome, after in (
        (commands.Outcome(None, "", ""), {"a": "1"}),
        (commands.Outcome(0, "", ""), {"a": "1"}),
        (commands.Outcome(-11, "", right.err), {"a": "1"}),
        (commands.Outcome(1, "", ""), {"a": "1"}),
        (commands.Outcome(1, "", right.err * 2), {"a": "1"}),
        (commands.Outcome(1, "", "Error: " + "x" * 401 + "\n"), {"a": "1"}),
        (commands.Outcome(1, "", "Error: None: no space\n"), {"a": "1"}),
        (commands.Outcome(1, "", "Error: \x1b[31mred\n"), {"a": "1"}),
        (commands.Outcome(1, "\x9b", right.err), {"a": "1"}),
        (commands.Outcome(1, "", "Traceback\n" + right.err), {"a": "1"}),
        (right, {"a": "2"}),
        (right, {}),
        (right, {"a": "1", ".a.building-0": ""}),
    ):
        assert commands.judge(call, outcome, {"a": "1"}, after) != []
    victim = interrupts.VICTIMS[0]
    ended = interrupts.Ending(130, b"", b"Interrupted.\n", 0.1)
    assert interrupts.judge(victim, ended, {"a": "1"}, {"a": "1"}) == []
    for ending, after in (
        (interrupts.Ending(None, b"", b"", 60), {"a": "1"}),
        (interrupts.Ending(0, b"", b"Interrupted.\n", 0.1), {"a": "1"}),
        (interrupts.Ending(130, b"", b"", 0.1), {"a": "1"}),
        (interrupts.Ending(130, b"", b"Interrupted.\nInterrupted.\n", 0.1), {"a": "1"}),
        (ended, {"a": "2"}),
        (ended, {"a": "1", ".built.building-0": ""}),
    ):
        assert interrupts.judge(victim, ending, {"a": "1"}, after) != []
    killed = interrupts.Ending(-9, b"", b"", 0.1)
    writer = interrupts.VICTIMS[13]  # writes old.csv
    before = {"a": "1", "old.csv": "1"}
    for after in (before, {**before, ".old.csv.writing-0": ""}, {"a": "1", "old.csv": "2"}):
        assert interrupts.judge(writer, killed, before, after) == []
    for after in ({"a": "1"}, {"a": "2", "old.csv": "1"}, {"old.csv": "1"}):
        assert interrupts.judge(writer, killed, before, after) != []
