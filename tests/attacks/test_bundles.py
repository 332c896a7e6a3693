"""The attack on bundles, in part, and what it once found."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import bundles as attacks

KEPT = sorted(path for path in attacks.FAILED.iterdir() if path.is_dir())


def test_every_mutant_is_refused_or_works() -> None:
    results = attacks.attack(cases=2_000, seed=1, processes=2)
    assert [result for result in results if result[2].startswith("bad")] == []
    ends = Counter((kind, end) for _, kind, end in results)
    for kind in (
        "header",
        "tensors",
        "graph",
        "json",
        "setting",
        "counts",
        "text",
        "swap",
        "special",
    ):
        assert ends[kind, "refused"] > 50, ends
    for kind in ("tensors", "json", "setting", "counts", "text"):
        assert ends[kind, "opened"] > 20, ends


def test_mutants_follow_from_seed_and_number() -> None:
    assert [attacks.mutant(1, n) for n in range(50)] == [attacks.mutant(1, n) for n in range(50)]
    assert attacks.mutant(1, 0) != attacks.mutant(2, 0)


def test_what_isn_t_damaged_works(tmp_path: Path) -> None:
    """The harness itself does no harm, and sees noise."""
    for bits in (0, 64, 128):
        files = dict(attacks.base(bits))
        manifest = dict(files.pop("manifest"))
        files[attacks.MANIFEST] = attacks.sealed(manifest, files, attacks.random.Random(), "")
        folder = tmp_path / str(bits)
        folder.mkdir()
        assert attacks.end_of(attacks.Mutant("", files), folder) == "opened"


@pytest.mark.parametrize("verify_hashes", [True, False])
@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_what_once_ended_badly_is_refused(path: Path, verify_hashes: bool) -> None:
    assert attacks.verdict(path, verify_hashes=verify_hashes) == "refused"


@pytest.mark.parametrize(
    ("instead", "end"),
    [
        ("os.abort()", "bad: crash: exit -6"),
        ("os._exit(0)", "bad: crash: exit 0"),
        ("raise KeyError(1)", "bad: KeyError: 1"),
        ("return check_message(ValueError('x' * 401)) or 'refused'", "bad: AssertionError"),
        ("time.sleep(600)", "bad: hang"),
    ],
)
def test_bad_ends_are_seen(tmp_path: Path, instead: str, end: str) -> None:
    """All cases end so here, and each is counted."""
    script = Path(attacks.__file__).read_text("utf-8")
    if "hang" in end:
        script = script.replace("_HANG = 600", "_HANG = 3")
    use = "        return verdict(folder, verify_hashes=made.verify_hashes)"
    changed = "".join(
        f"        {instead}\n" if line.startswith(use) else line for line in script.splitlines(True)
    )
    assert changed != script
    (tmp_path / "changed_attacks.py").write_text(changed, "utf-8")
    spec = importlib.util.spec_from_file_location(
        "changed_attacks", tmp_path / "changed_attacks.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["changed_attacks"] = module
    spec.loader.exec_module(module)
    results = module.attack(cases=2, seed=1, processes=1)
    assert [result[2][: len(end)] for result in results] == [end, end]
