"""Lists of secret words: read, looked through, built, and what a bundle with them releases."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, error_of, index_of, rewrite
from numpy.typing import NDArray

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.bundle import INDEX, MANIFEST
from brrkit.mechanisms import MECHANISMS
from brrkit.policy import Passing, Policy, SecretList
from brrkit.setting import Setting
from brrkit.writing import ENGLISH
from brrkit_toolchain import BuildPlan, BundleSources, Task, build_bundle, verify_bundle
from brrkit_toolchain.bundle.verify import golden
from brrkit_toolchain.codes.packing import pack, unpack
from brrkit_toolchain.io.files import file_digest
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.lists.check import check_list, suggest_words
from brrkit_toolchain.lists.choose import policy_of, with_inflections
from brrkit_toolchain.lists.files import read_list_file, read_list_files
from brrkit_toolchain.lists.nearness import shares_on_list
from brrkit_toolchain.lists.one_code import with_one_code

if TYPE_CHECKING:
    from conftest import Brr, Kept

NAMES = (
    "john charles james george william robert henry richard thomas louis peter paul david michael "
    "joseph mary edward alexander martin lee"
)
PLACES = "france germany london paris italy rome israel egypt mexico scotland ireland china warsaw"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Lists: some words of the vocabulary of ``sample_bundle``, and some that it hasn't."""
    folder = tmp_path_factory.mktemp("lists")
    texts = {
        "names": "# first names\n\n" + "\n".join([*NAMES.title().split(), "Priya", " Zoltan "]),
        "places": "\n".join(PLACES.split()),
    }
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.txt" for name in texts}


@pytest.fixture(scope="module")
def listed(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> WordBundle:
    """``sample_bundle`` with the lists, and 30 function words that pass."""
    output = tmp_path_factory.mktemp("listed") / "bundle"
    plan = BuildPlan(
        **{"bits": 64, "method": "lsh", "vocabulary_size": 2000, "seed": 3},
        secret=tuple(files.values()),
        passing="function-words:30",
    )
    build_bundle(ENCYCLOPEDIA, output, plan)
    return WordBundle.open(output)


class TestFiles:
    def test_a_file_is_words_normalized_and_comments(self, tmp_path: Path) -> None:
        path = tmp_path / "First Names (EU).txt.gz"
        content = "\ufeff# names\n\nAnna\n  O’Brien \nanna\nZoë\n".encode()
        path.write_bytes(gzip.compress(content))
        file = read_list_file(path, ENGLISH)
        assert file.name == "first-names--eu-"
        assert file.line_of == {"anna": 3, "o'brien": 4, "zoë": 6}

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "has no words; write one word per line"),
            (b"# nothing\n\n", "has no words"),
            (b"anna\nmary jane\n", "line 2 isn't one word; write one word per line"),
            (b"anna\n!\n", "line 2 isn't one word"),
            (b"anna\n\xff\n", "line 2 of the list of words isn't UTF-8"),
            (b"anna\n" + b"a" * 65, "line 2 has more than 64 characters"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, content: bytes, message: str) -> None:
        path = tmp_path / "names.txt"
        path.write_bytes(content)
        said = error_of(read_list_file, path, ENGLISH)
        assert said.startswith(str(path))
        assert message in said

    def test_a_word_on_two_lists(self, tmp_path: Path) -> None:
        one, other = tmp_path / "names.txt", tmp_path / "plants.txt"
        one.write_text("ivy\nrose\n")
        other.write_text("oak\nRose\n")
        assert error_of(read_list_files, [one, other], ENGLISH) == (
            f"{other}: line 2 is on the list {one}: line 2, too; keep it on one, or give first to "
            "keep it on the first"
        )
        read = read_list_files([one, other], ENGLISH, first=True)
        assert [list(file.line_of) for file in read] == [["ivy", "rose"], ["oak"]]

    def test_two_lists_of_one_name(self, tmp_path: Path) -> None:
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "names.txt").write_text(f"{folder}nna\n")
        paths = [tmp_path / folder / "names.txt" for folder in ("a", "b")]
        assert f"is named names, like that of {paths[0]}; rename" in error_of(
            read_list_files, paths, ENGLISH
        )


class TestOneCode:
    def test_each_bit_is_that_of_most_members_or_the_heads(self) -> None:
        generator = np.random.default_rng(5)
        bits = generator.integers(0, 2, (9, 128)).astype(np.bool_)
        lists = [SecretList("even", (0, 2, 4, 6), ()), SecretList("three", (1, 3, 5), ())]
        made = unpack(with_one_code(pack(bits), lists))
        for each in lists:
            for place in range(128):
                column = bits[list(each.members), place]
                ones, zeros = int(column.sum()), int((~column).sum())
                expected = bits[each.head, place] if ones == zeros else ones > zeros
                assert (made[list(each.members), place] == expected).all()
        assert (made[7:] == bits[7:]).all()
        ties = bits[[0, 2, 4, 6]].sum(axis=0) == 2
        assert ties.any()

    def test_no_list_leaves_codes_alone(self) -> None:
        codes = np.arange(6, dtype=np.uint64).reshape(3, 2)
        assert (with_one_code(codes, ()) == codes).all()


def coded(words: dict[str, int]) -> tuple[list[str], NDArray[np.uint64]]:
    """Return words, and codes of as many bits, from the first on."""
    return list(words), np.array([[(1 << bits) - 1] for bits in words.values()], np.uint64)


class TestNearness:
    def test_the_share_of_the_nearest_codes_that_are_listed(self) -> None:
        codes = coded({str(i): i for i in range(60)})[1]
        members = range(0, 60, 2)
        # Around 30 there are ten even and ten odd numbers, at equal distances the lower first.
        assert shares_on_list(codes, [30, 31], members).tolist() == [0.5, 0.5]
        assert shares_on_list(codes, [0], members).tolist() == [0.5]

    def test_a_short_list_is_as_near_as_it_can_be(self) -> None:
        codes = coded({str(i): i for i in range(60)})[1]
        assert shares_on_list(codes, [10, 11, 40], [10, 11, 12]).tolist() == [0.5, 1, 0]

    def test_a_word_among_many_with_its_code_is_not_its_own_neighbor(self) -> None:
        codes = np.zeros((40, 1), np.uint64)
        assert shares_on_list(codes, [39], range(39, 40)).tolist() == [0]
        assert shares_on_list(codes, [5, 39], range(30)).tolist() == [1, 1]


class TestInflections:
    WORDS = coded(
        {"anna": 0, "peter": 1, "peters": 2, "walter": 3, "mary": 4, "rose": 20, "stem": 30}
        | {"roses": 31, "tree": 32, "bush": 33, "leaf": 34, "anna's": 40, "dawn": 48}
    )

    def policy(self, *members: str, forms: tuple[str, ...] = (), passing: str = "") -> Policy:
        words, codes = self.WORDS
        ids = tuple(sorted(map(words.index, members)))
        passed = Passing((words.index(passing),), 0.5) if passing else None
        policy = Policy((SecretList("names", ids, forms),), passed)
        return with_inflections(policy, tokenizer_of(words), codes)

    NAMES = ("anna", "peter", "walter", "mary", "rose", "dawn")

    def test_words_join_by_an_apostrophe_or_their_share(self) -> None:
        words = [self.WORDS[0][i] for i in self.policy(*self.NAMES).lists[0].members]
        assert words == ["anna", "peter", "peters", "walter", "mary", "rose", "anna's", "dawn"]

    def test_plurals_that_are_no_words_are_forms_where_the_word_is_a_lists(self) -> None:
        forms = self.policy(*self.NAMES, forms=("priya",)).lists[0].forms
        assert forms == ("priya", "annas", "walters", "marys", "maries")

    def test_a_passing_word_doesnt_join(self) -> None:
        policy = self.policy(*self.NAMES, passing="peters")
        assert self.WORDS[0].index("peters") not in policy.lists[0].members

    def test_an_explicit_word_stays_on_its_list(self) -> None:
        words, codes = self.WORDS
        ids = {word: number for number, word in enumerate(words)}
        names = SecretList("names", tuple(ids[w] for w in ("anna", "peter", "walter", "mary")), ())
        others = SecretList("others", (ids["peters"],), ("annas",))
        made = with_inflections(Policy((names, others)), tokenizer_of(words), codes)
        assert made.lists[1] == others
        assert ids["peters"] not in made.lists[0].members
        assert "annas" not in made.lists[0].forms

    def test_in_the_sample_as_the_module_says(self) -> None:
        bundle = WordBundle.sample()
        tokenizer = tokenizer_of(list(bundle.vocabulary), bundle.writing)
        names = f"{NAMES} grant jean bill joy anna sarah kate emma julia jane frank alex".split()
        names += ["steven", "andrew"]
        ids = sorted(i for name in names if (i := bundle.vocabulary.find(name)) is not None)
        assert len(ids) == len(names)
        policy = Policy((SecretList("names", tuple(ids), ()),))
        [made] = with_inflections(policy, tokenizer, bundle.codes).lists
        added = {bundle.vocabulary.word(i) for i in set(made.members) - set(ids)}
        assert "williams" in added
        plurals = {"grants", "jeans", "bills"}
        assert not plurals & added
        assert all(bundle.vocabulary.find(word) is not None for word in plurals)
        assert "joys" not in made.forms
        assert tokenizer.look_up("joys") is None


class TestPassing:
    WORDS: tuple[str, ...] = ("anna", "the", "is", "rain", "you", "will", "what")

    def passing(self, asked: Any, lists: tuple[Path, ...] = ()) -> list[str]:
        tokenizer = tokenizer_of(self.WORDS)
        read = read_list_files(lists, ENGLISH)
        policy = policy_of(read, asked, 0.9, tokenizer, tokenizer.masses)
        assert policy.passing is not None
        assert policy.passing.probability == 0.9
        return [self.WORDS[i] for i in policy.passing.words]

    def test_the_languages_most_frequent_ones_of_no_list(self, tmp_path: Path) -> None:
        (tmp_path / "names.txt").write_text("anna\nwill\n")
        assert self.passing("function-words:3") == ["the", "is", "you"]
        listed = self.passing("function-words:1000", (tmp_path / "names.txt",))
        assert listed == ["the", "is", "you", "what"]

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "pass.txt").write_text("Rain\nsnow\n")
        assert self.passing(tmp_path / "pass.txt") == ["rain"]

    def test_errors(self, tmp_path: Path) -> None:
        (tmp_path / "names.txt").write_text("anna\nrain\n")
        (tmp_path / "pass.txt").write_text("the\nrain\n")
        (tmp_path / "none.txt").write_text("snow\n")
        names = (tmp_path / "names.txt",)
        said = error_of(self.passing, tmp_path / "pass.txt", names)
        assert said.startswith(f"{tmp_path / 'pass.txt'}: line 2 is on the secret list {names[0]}")
        assert "none of its words is in the" in error_of(self.passing, tmp_path / "none.txt")
        assert "from 1 to 1,024, not 0" in error_of(self.passing, "function-words:0")
        (tmp_path / "names.txt").write_text("snow\n")
        assert "none of its 1 words is in the vocabulary" in error_of(
            self.passing, "function-words:3", names
        )


class TestBundle:
    def test_the_manifest_has_the_policy_and_its_sources(
        self, listed: WordBundle, files: dict[str, Path]
    ) -> None:
        names, places = listed.policy.lists
        words = [listed.vocabulary.word(i) for i in names.members]
        assert set(NAMES.split()) <= set(words)
        assert {"priya", "zoltan"} <= set(names.forms)
        assert "warsaw" in places.forms
        assert listed.vocabulary.word(names.head) == "john"
        assert listed.policy.passing is not None
        assert len(listed.policy.passing.words) == 30
        assert listed.manifest["source"]["lists"] == [
            {"list": name, "name": path.name, "sha256": file_digest(path)}
            for name, path in files.items()
        ]
        assert listed.manifest["source"]["passing"] == {"name": "function-words:30"}

    def test_ids_stand_in_one_line(self, listed: WordBundle) -> None:
        lines = (listed.path / MANIFEST).read_text(encoding="utf-8").splitlines()
        ids = ", ".join(map(str, listed.policy.lists[0].members))
        assert f'    "members": [{ids}],' in lines

    def test_members_share_a_code_and_others_keep_theirs(
        self, listed: WordBundle, opened: WordBundle
    ) -> None:
        codes = np.array(opened.codes)
        assert (with_one_code(codes, listed.policy.lists) == listed.codes).all()
        secret = [member for each in listed.policy.lists for member in each.members]
        assert (listed.codes[secret] != codes[secret]).any()
        others = np.setdiff1d(np.arange(len(listed)), secret)
        assert (listed.codes[others] == codes[others]).all()
        assert bytes(listed.masses.words) == bytes(opened.masses.words)

    @pytest.mark.parametrize("mechanism", MECHANISMS)
    def test_members_and_forms_give_the_same_words(
        self, listed: WordBundle, mechanism: str
    ) -> None:
        content = np.random.default_rng(1).bytes(1 << 16)

        def released(word: str) -> str | None:
            random = BytesIO(content).read
            return Privatizer(listed, Setting(2.0, mechanism), random=random).word(word)

        assert len({released(word) for word in [*NAMES.split(), "Priya", "ZOLTAN’s"]}) == 1

    def test_it_verifies(self, listed: WordBundle, files: dict[str, Path]) -> None:
        sources = BundleSources(ENCYCLOPEDIA, secret=tuple(files.values()))
        outcome = verify_bundle(listed.path, sources)
        assert [check for check in outcome.checks if not check.passed] == []
        said = {check.name: check.detail for check in outcome.checks}
        names, places = listed.policy.lists
        words, forms = (
            sum(len(getattr(each, kind)) for each in (names, places))
            for kind in ("members", "forms")
        )
        assert said["policy"] == f"2 lists, {words} words, {forms} forms: one word each"
        assert "rebuilt codes" in said

    def test_verify_finds_members_with_two_codes(self, listed: WordBundle, tmp_path: Path) -> None:
        copy = shutil.copytree(listed.path, tmp_path / "bundle")
        codes = np.array(listed.codes)
        codes[listed.policy.lists[0].members[3]] ^= np.uint64(1)
        rewrite(copy, {INDEX: index_of(list(listed.vocabulary), codes)})
        failed = {
            check.name: check.detail for check in verify_bundle(copy).checks if not check.passed
        }
        assert failed["policy"].startswith("the words of names have several codes")

    def test_verify_finds_another_list(
        self,
        listed: WordBundle,
        files: dict[str, Path],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(golden, "golden_cases", lambda *_: "right, as above")
        (tmp_path / "names.txt").write_bytes(files["names"].read_bytes() + b"\nIstvan\n")
        (tmp_path / "pets.txt").write_text("rex\n")
        for name, says in (
            ("names", "its bytes differ from"),
            ("pets", "was built without a list"),
        ):
            sources = BundleSources(secret=[tmp_path / f"{name}.txt"])
            checks = verify_bundle(listed.path, sources).checks
            assert [says in c.detail for c in checks if not c.passed] == [True]

    def test_task_bits_are_one_too(self, kept: Kept, tmp_path: Path) -> None:
        source = list(WordBundle.open(kept.bundle).vocabulary)
        (tmp_path / "moods.txt").write_text("\n".join([*source[200:205], *source[240:245]]))
        task = Task(kept.labeled, label_column="mood", name="mood")
        plan = BuildPlan(
            **{"bits": 64, "method": "lsh", "vocabulary_size": 400},
            tasks=[task],
            secret=[tmp_path / "moods.txt"],
        )
        build_bundle(ENCYCLOPEDIA, tmp_path / "bundle", plan)
        bundle = WordBundle.open(tmp_path / "bundle")
        members = list(bundle.policy.lists[0].members)
        assert bundle.task_bits == 64
        assert len(np.unique(bundle.codes[members], axis=0)) == 1
        assert len(np.unique(bundle.codes[200:280, 1])) > 1
        outcome = verify_bundle(bundle.path, BundleSources(tasks=[task]))
        assert [check for check in outcome.checks if not check.passed] == []

    def test_neighbors_of_a_member_are_others(self, listed: WordBundle) -> None:
        for name in NAMES.split():
            near = listed.neighbors(name, 30)
            assert len(near) == 30
            assert name not in {each.word for each in near}

    def test_the_command(self, brr: Brr, files: dict[str, Path], tmp_path: Path) -> None:
        build = ("build", "--embeddings", ENCYCLOPEDIA, "--vocabulary-size", 300, "--method", "lsh")
        (tmp_path / "few.txt").write_text("world\nstate\n")
        outcome = brr(
            *(*build, "--output", tmp_path / "bundle", "--secret", tmp_path / "few.txt"),
            *("--pass", "function-words:3", "--pass-probability", 0.5),
        )
        assert outcome.code == 0
        lines = [line.strip() for line in outcome.out.splitlines()]
        assert any(line.startswith("secret      few: 2 words and") for line in lines)
        assert "passing     3 words, released as typed with probability 0.5: the of and" in lines
        assert any(line.startswith("note        few: 2 of its words are") for line in lines)
        assert any(re.match(r"note        few: world has \d+% of", line) for line in lines)
        shown = brr("inspect", tmp_path / "bundle").out
        assert "few: 2 words and" in shown

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--first",), "--first: only for secret lists; give --secret"),
            (("--pass", "x", "--pass-probability", 1), "--pass-probability must be from 0.001 to"),
            (("--pass", "nowhere.txt"), "nowhere.txt: the list of words can't be read"),
            (("--secret", "nowhere.txt"), "nowhere.txt: the list of words can't be read"),
        ],
    )
    def test_bad_options(
        self, brr: Brr, tmp_path: Path, options: tuple[object, ...], message: str
    ) -> None:
        build = ("build", "--embeddings", ENCYCLOPEDIA, "--vocabulary-size", 300, "--method", "lsh")
        outcome = brr(*build, "--output", tmp_path / "bundle", *options)
        assert outcome.code == 1
        assert message in outcome.err
        assert not (tmp_path / "bundle").exists()


class TestCheck:
    def test_ordinary_words_come_first(self, opened: WordBundle, tmp_path: Path) -> None:
        (tmp_path / "names.txt").write_text("\n".join([*NAMES.split(), "water", "priya"]))
        found = check_list(opened, tmp_path / "names.txt")
        assert (len(found.members), found.forms) == (21, 1)
        shares = [each.share for each in found.members]
        assert shares == sorted(shares)
        near = {each.word: each.share for each in found.members}
        ids = [opened.vocabulary.find(word) for word in near]
        for word, share in near.items():
            own = opened.vocabulary.find(word)
            assert own is not None
            distances = unpack(opened.codes ^ opened.codes[own]).sum(axis=1)
            distances[own] = 99
            nearest = np.argsort(distances, kind="stable")[:20]
            assert share == np.isin(nearest, ids).mean()
        assert "water" in {each.word for each in found.ordinary}
        assert all(each.share < 0.15 for each in found.ordinary)
        assert found.largest == "john"
        assert found.notes == ()

    def test_a_short_list_and_a_word_with_half_of_the_mass(
        self, opened: WordBundle, tmp_path: Path
    ) -> None:
        (tmp_path / "few.txt").write_text("the\nmartin\nlee\n")
        few, large = check_list(opened, tmp_path / "few.txt").notes
        assert few == (
            "3 of its words are in the vocabulary; add more, so that each hides among at least 20"
        )
        assert large.startswith("the has 100% of the list's mass")

    def test_missing_words_are_suggested(self, opened: WordBundle, tmp_path: Path) -> None:
        (tmp_path / "names.txt").write_text("\n".join(NAMES.split()[::2]))
        found = suggest_words(opened, tmp_path / "names.txt")
        assert len(found) <= 20
        assert {each.word for each in found} & {*NAMES.split()[1::2]}
        assert not {each.word for each in found} & {*NAMES.split()[::2]}
        shares = [each.share for each in found]
        assert shares == sorted(shares, reverse=True)
        assert min(shares) > 0

    def test_a_bundle_built_with_the_list_is_refused(
        self, listed: WordBundle, files: dict[str, Path], tmp_path: Path
    ) -> None:
        for look in (check_list, suggest_words):
            said = error_of(look, listed, files["names"])
            assert "was built with the list names, which gave 20 words of" in said
        (tmp_path / "more.txt").write_text("water\nlife\njohn\n")
        assert check_list(listed, tmp_path / "more.txt").members

    def test_the_commands(self, brr: Brr, sample_bundle: Path, files: dict[str, Path]) -> None:
        shown = brr("lists", "check", sample_bundle, files["names"])
        assert shown.code == 0
        first = shown.out.splitlines()[0]
        assert first == (
            "names: 20 words of the vocabulary and 2 others; john has 21% of their mass"
        )
        stated = json.loads(brr("lists", "check", sample_bundle, files["names"], "--json").out)
        ordinary = [f"    {m['share']:.2f} {m['word']}" for m in stated["members"]]
        assert (
            shown.out.splitlines()[-len(stated["ordinary"]) :]
            == ordinary[: len(stated["ordinary"])]
        )
        shown = brr("lists", "suggest", sample_bundle, files["names"])
        found = json.loads(brr("lists", "suggest", sample_bundle, files["names"], "--json").out)
        assert shown.out.splitlines() == [f"{m['share']:.2f} {m['word']}" for m in found]

    @pytest.mark.parametrize("command", ["check", "suggest"])
    def test_bad_lists(self, brr: Brr, sample_bundle: Path, tmp_path: Path, command: str) -> None:
        (tmp_path / "none.txt").write_text("xyzzy\n")
        for file, says in (("none", "none of its 1 words is in"), ("no", "can't be read")):
            outcome = brr("lists", command, sample_bundle, tmp_path / f"{file}.txt")
            assert (outcome.code, outcome.out) == (1, "")
            assert says in outcome.err

    def test_a_list_to_count_has_no_codes(self, tmp_path: Path) -> None:
        from brrkit_counting import build_list

        (tmp_path / "colors.txt").write_text("red\ngreen\n")
        build_list(tmp_path / "colors.txt", tmp_path / "list")
        bundle = WordBundle.open(tmp_path / "list")
        with pytest.raises(ParameterError, match="a list has no codes"):
            check_list(bundle, tmp_path / "colors.txt")
