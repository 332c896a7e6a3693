"""The documentation's length, its lines of code, its words, and its place in the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from brrkit import (
    BudgetError,
    Counts,
    CountsSetting,
    Memory,
    PrivacyBudget,
    Privatizer,
    Reporter,
    WordBundle,
)

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = sorted(DOCS.rglob("*.md"))
CHANGELOG = ROOT / "CHANGELOG.md"
SPECIFICATION = sorted((ROOT / "spec").glob("*.md"))
REFERENCE = [*sorted((DOCS / "reference").glob("*.md")), *SPECIFICATION]
PAGES = [ROOT / "README.md", *SITE, *SPECIFICATION]
PROSE = [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", CHANGELOG, *PAGES]

README_WORDS = 900
VERSION_WORDS = 1_500
NO_CODE = ("", "text", "separators", "marks", "bases", "composed", "pictographs")
NO_CODE += ("styled", "invisible")
WIDEST = 88  # characters of a line of code: a page has room for no more
GENERATED = re.compile(r"<!-- numbers: \S+ -->.*?<!-- end -->", re.DOTALL)
BLOCK = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`[^`\n]*`")
VERSION = re.compile(r"^## (\S+).*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)")
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)

FORBIDDEN = {
    "an attacker is 'they'": r"\b(?:he|she) (?:names?|knows|sees|guess\w*|is right)\b",
    "a probability is 0.20": r"\b\d+ (?:times )?in (?:10|100|ten|hundred)\b|(?<![\w.])\.\d",
    "'assumes', not 'holds to be'": r"\bholds? (?:\w+ ){1,4}to be\b",
    "'the share of', not 'so many of'": r"\bin so many of\b",
    "'such as', not 'as'": r"[,(] as (?:an? \w+|names)(?:,| or | and |\))",
}
CONTRACTION = re.compile(
    r"\b\w+(?:n['’]t|['’](?:re|ve|ll|d|m))\b|\b(?:it|that|there|let|what)['’]s\b"
)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def words(page: Path) -> int:
    """Count as ``wc -w`` does."""
    return len(page.read_text(encoding="utf-8").split())


def prose(page: Path) -> str:
    """Return a page without code and without what results are written into."""
    text = GENERATED.sub("", page.read_text(encoding="utf-8"))
    return SPAN.sub("", BLOCK.sub("", text))


def in_toctree() -> set[str]:
    """Return the pages that the site's start names."""
    trees = TOCTREE.findall((DOCS / "index.md").read_text(encoding="utf-8"))
    lines = (line.strip() for tree in trees for line in tree.splitlines())
    return {line for line in lines if line and not line.startswith(":")}


def test_the_readme_is_short() -> None:
    assert words(ROOT / "README.md") <= README_WORDS


def test_a_version_of_the_changelog_is_short() -> None:
    """Its section is the release's notes, whose links lead to files of the tag."""
    versions = {match[1]: match[0] for match in VERSION.finditer(CHANGELOG.read_text("utf-8"))}
    assert versions
    for version, section in versions.items():
        assert len(section.split()) <= VERSION_WORDS, version
        assert [link for link in LINK.findall(section) if not (ROOT / link).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_fits(page: Path) -> None:
    text = GENERATED.sub("", page.read_text(encoding="utf-8"))
    code = [block for block in BLOCK.finditer(text) if block[3] not in NO_CODE]
    lines = [line for block in code for line in block[4].splitlines()]
    assert [line for line in lines if len(line) > WIDEST] == []


@pytest.mark.parametrize("page", PROSE, ids=name)
def test_words_are_the_fields(page: Path) -> None:
    text = prose(page)
    for rule, pattern in FORBIDDEN.items():
        assert [match[0] for match in re.finditer(pattern, text, re.IGNORECASE)] == [], rule


@pytest.mark.parametrize("page", REFERENCE, ids=name)
def test_specifications_have_no_contractions(page: Path) -> None:
    own, _, _quoted = prose(page).partition("### bundle")  # messages of errors, as they are
    assert CONTRACTION.findall(own) == []


def test_the_toctree_has_all_pages_and_nothing_else() -> None:
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in SITE}
    others = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.rst")}
    assert pages - {"index"} <= in_toctree() <= pages | others


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("The attacker guesses; he names it.", "an attacker is 'they'"),
        ("right 2 in 10", "a probability is 0.20"),
        ("a share of .28", "a probability is 0.20"),
        ("who holds all words to be as likely", "'assumes', not 'holds to be'"),
        ("in so many of 1,000 weeks", "'the share of', not 'so many of'"),
        ("words of one kind, as names, share it", "'such as', not 'as'"),
    ],
)
def test_what_is_forbidden_is_found(tmp_path: Path, text: str, rule: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"`{text}`\n\n```\n{text}\n```\n", encoding="utf-8")
    assert not re.search(FORBIDDEN[rule], prose(page))
    page.write_text(text, encoding="utf-8")
    assert re.search(FORBIDDEN[rule], prose(page))


@pytest.mark.parametrize("text", ["it isn't", "they’re", "it's a bit"])
def test_a_contraction_is_found(text: str) -> None:
    assert CONTRACTION.search(text)
    assert not CONTRACTION.search("the bundle's file; the words' codes")


def test_a_days_budget_is_the_samples() -> None:
    page = " ".join((DOCS / "how-to" / "run-for-months.md").read_text(encoding="utf-8").split())
    epsilon = Privatizer(WordBundle.sample()).certified_epsilon
    assert f"`Privatizer.certified_epsilon`, {epsilon:.4g} in the sample" in page
    allows = f"default limit of 300 therefore allows {int(300 / epsilon)} words a day"
    assert f"the keyboard libraries' {allows}" in page
    how_to = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "how-to").glob("*.md"))
    comments = re.findall(r"(?://|#) .*?(\d+) words a day with the sample\n", how_to)
    assert set(comments) == {str(int(300 / epsilon))}


def test_what_reports_leave_of_a_budget_is_the_samples(tmp_path: Path) -> None:
    page = " ".join((DOCS / "how-to" / "plan-an-app.md").read_text(encoding="utf-8").split())
    bundle = WordBundle.sample()
    budget = PrivacyBudget(300, 24 * 3600, tmp_path / "budget.json")
    memory = Memory(30 * 24 * 3600, tmp_path / "memory.json")
    privatizer = Privatizer(bundle, budget=budget, memory=memory)

    def left() -> int:
        return budget.words_left(privatizer.certified_epsilon, unit=bundle.digest)

    alone = left()
    Reporter(Counts(bundle, CountsSetting(9, 20)), budget=budget).add(["rain"] * 30)
    assert f"a day's 20 reports is up to {300 - budget.remaining():.0f}, which" in page
    assert f"leaves {left()} words of text a day with the sample bundle; without" in page
    assert f"without the reports, it allows {alone}." in page
    for words in (["rain"] * (left() - 1), ["rain"]):
        privatizer.words(words)  # of one word, which costs each time
    with pytest.raises(BudgetError):
        privatizer.word("rain")
