"""Follow docs/how-to/ios.md to the first word, line by line, in an app that adds the package by
its path.

    python tests/ios/first_word.py bundle

The page's lines are taken from the page, and nothing is added to them but what they leave to the
reader: an empty app. Its other examples are compiled, and so are docs/how-to/use-a-bundle.md's and
docs/how-to/run-for-months.md's. The app stays in ``.build``, so that a second run compiles only
what changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from brrkit import Setting, WordBundle
from brrkit_toolchain.bundle.recommend import write_recommended

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".build" / "first-word"
MOST = 10  # lines from an empty app to the first word

PACKAGE = """\
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [
        {dependency}
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                {product}
            ],
            path: "App",
            exclude: ["bundle"]
        )
    ]
)
"""

KEYBOARD = '.product(name: "BrrkitKeyboard", package: "brrkit")'
"""That docs/how-to/run-for-months.md's lines are of."""

OTHERS = """\
import Brrkit
import Foundation

func settings(
    _ bundle: WordBundle, _ privatizer: Privatizer, _ file: URL, _ keyFile: URL, _ reviews: [String]
) throws {{
{settings}
}}

func later(_ privatizer: Privatizer, _ folder: URL) async throws {{
{later}
}}

func mark(_ bundle: WordBundle, _ privatizer: Privatizer, _ typed: String) throws {{
{secret}
}}

func count(_ bundle: WordBundle, _ daily: PrivacyBudget, _ typed: String) throws {{
{count}
}}
"""

FRAMES = """\
import Brrkit
import BrrkitKeyboard
import Foundation

func frame(_ receiver: URL) throws {{
{frames}
}}
"""

BUILD = """\
import Brrkit
{imported}
import Foundation

@MainActor func build(
    _ character: String, _ editor: some Editor, _ receiver: URL,
    _ strip: @escaping @MainActor @Sendable (Release) -> Void
) throws {{
{keyboard}
}}
"""

UPDATE = """\
import Brrkit
import BrrkitKeyboard
import Foundation

func updateABundle(_ downloaded: URL, _ manifestDigest: String) throws {{
{tabs}
    _ = keyboard
}}
"""

TABS = """\
import Brrkit
import Foundation

func useABundle(_ folder: URL, _ state: URL) throws {{
{tabs}
}}
"""


def blocks(page: str, heading: str) -> list[list[str]]:
    """Return the lines of code of a section of the page, block by block."""
    section = page.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]
    found = re.findall(r"^```\w+\n(.*?)^```$", section, re.M | re.S)
    return [block.rstrip("\n").split("\n") for block in found]


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that must succeed, and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PATH": path},
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        sys.exit(
            f"docs/how-to/ios.md doesn't lead to the first word: {command[0]} fails\n{done.stdout}"
        )
    return done.stdout


def main() -> None:
    """Follow the page."""
    bundle = Path(sys.argv[1])
    page = (ROOT / "docs" / "how-to" / "ios.md").read_text("utf-8")
    package, shell, code, settings, later = blocks(page, "Release the first word")
    (secret,) = blocks(page, "Mark what is secret")
    (count,) = blocks(page, "Count words")
    (frames,) = blocks(page, "Send text in frames")
    (keyboard,) = blocks(page, "Build a keyboard")
    if len(package + shell + code) > MOST:
        sys.exit(f"docs/how-to/ios.md takes more than {MOST} lines to the first word")
    app = FOLDER / "app"
    shutil.rmtree(app / "App", ignore_errors=True)
    (app / "App").mkdir(parents=True)
    if not (FOLDER / "brrkit").exists():
        (FOLDER / "brrkit").symlink_to(ROOT)
    # The release may not be there yet, and this is about the code in hand: the page's other line.
    by_path = re.search(r"`(\.package\(path: .*?\))`", page)
    released, product = (re.sub(r",?\s+//.*", "", line) for line in package)
    if by_path is None or not released.startswith(".package(url: "):
        sys.exit(
            "docs/how-to/ios.md doesn't say how to add the package, by its address and by a path"
        )
    products = ", ".join([product, KEYBOARD])
    written = PACKAGE.format(dependency=by_path[1], product=products)
    (app / "Package.swift").write_text(written, "utf-8")
    shown = [*code, 'print(word ?? "nothing")']
    (app / "App" / "main.swift").write_text("\n".join(shown) + "\n", "utf-8")
    others = OTHERS.format(
        settings="\n".join(settings),
        later="\n".join(later),
        secret="\n".join(secret),
        count="\n".join(count),
    )
    (app / "App" / "Others.swift").write_text(others, "utf-8")
    written = FRAMES.format(frames="\n".join(frames))
    (app / "App" / "Frames.swift").write_text(written, "utf-8")
    written = BUILD.format(imported=keyboard[0], keyboard="\n".join(keyboard[1:]))
    (app / "App" / "Keyboard.swift").write_text(written, "utf-8")
    for name, source, template in (
        ("use-a-bundle.md", "UseABundle.swift", TABS),
        ("run-for-months.md", "RunForMonths.swift", UPDATE),
    ):
        page = (ROOT / "docs" / "how-to" / name).read_text("utf-8")
        tabs = re.findall(r"^```swift\n(.*?)^```$", page, re.M | re.S)
        (app / "App" / source).write_text(template.format(tabs="\n".join(tabs)), "utf-8")
    shutil.rmtree(app / "bundle", ignore_errors=True)
    shutil.copytree(bundle, app / "bundle")
    # As ``brr calibrate --write`` would, which takes longer.
    write_recommended(app / "bundle", Setting(0.5, "exponential", {}, "a test"))
    run("sh", "-euc", "\n".join(shell), cwd=app)

    swift = ROOT / "ios_demo" / "swift.sh"
    options = ("--package-path", str(app), "--disable-index-store")
    run(swift, "build", "-q", *options, cwd=ROOT)
    # An app's resources are where Xcode copies them; elsewhere, beside the program.
    resources = Path(run(swift, "build", *options, "--show-bin-path", cwd=ROOT).strip())
    shutil.rmtree(resources / "bundle", ignore_errors=True)
    shutil.copytree(app / "App" / "bundle", resources / "bundle")
    word = run(swift, "run", "-q", *options, "--skip-build", "App", cwd=ROOT).strip()
    if WordBundle.open(bundle).vocabulary.find(word) is None:
        sys.exit(f"docs/how-to/ios.md leads to {word!r}, which is no word of the bundle")
    lines = len(package + shell + code)
    print(f"The {lines} lines of docs/how-to/ios.md lead to the first word: {word}.")


if __name__ == "__main__":
    main()
