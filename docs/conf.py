"""The site of these pages: ``make site`` builds it, and fails where a link leads nowhere."""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from brrkit import WordBundle
from brrkit_toolchain.report.playground import playground_page

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SPEC = ROOT / "spec"
RELATIVE = re.compile(r"\]\((?![a-z]+:|#)")
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<path>\.\./[^)#]+)(?P<anchor>#[^)]*)?\)")
SPECIFIED = {f"reference/{page.stem}": page for page in SPEC.glob("*.md") if page.stem != "README"}

project = "brrkit"
author = "the brrkit authors"
project_copyright = "the brrkit authors. Apache License 2.0"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_design",
]
exclude_patterns = ["reference/examples", "static"]
smartquotes_action = "qe"  # no dashes: an option would lose its own
html_theme = "furo"
html_title = "brrkit"
html_static_path = ["static"]
html_css_files = ["code.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
myst_enable_extensions = ["colon_fence"]  # tabs
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autoclass_content = "both"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
suppress_warnings = ["misc.highlighting_failure"]  # shells' and Gradle's fragments


def put_specification(app: Sphinx, page: str, content: list[str]) -> None:
    """Put a page of the specification in the place of the page that says where it is."""
    if page in SPECIFIED:
        file = SPECIFIED[page]
        app.env.note_dependency(str(file))
        content[0] = RELATIVE.sub("](../../spec/", file.read_text("utf-8"))


def name_sources(_app: Sphinx, page: str, content: list[str]) -> None:
    """Turn links to files of the repository, which the site hasn't, into their text and path.

    Raises:
        ExtensionError: there is no such file.
    """
    folder = (DOCS / page).parent

    def name(link: re.Match[str]) -> str:
        text, file = link["text"], folder.joinpath(link["path"]).resolve()
        if not file.exists():
            raise ExtensionError(f"docs/{page}.md links to {link['path']}, which doesn't exist")
        if file in SPECIFIED.values():
            file = DOCS / "reference" / file.name
        if file.is_relative_to(DOCS) or (file.parent == SPEC and file.suffix == ".json"):
            return f"[{text}]({os.path.relpath(file, folder)}{link['anchor'] or ''})"
        path = file.relative_to(ROOT).as_posix()
        return text if text.strip("`") == path else f"{text} (`{path}`)"

    content[0] = LINK.sub(name, content[0])


def put_playground(app: Sphinx, failure: Exception | None) -> None:
    """Put the sample's playground in the place of the page that describes it."""
    if failure is None and app.builder.name == "html":
        page = playground_page(
            WordBundle.sample(),
            note="The sample is everyday English: try “ok lol see u tmr”.",
            home="index.html",
        )
        (app.outdir / "playground.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect what happens to a page before it is parsed, and after all are written."""
    app.connect("source-read", put_specification)
    app.connect("source-read", name_sources)
    app.connect("build-finished", put_playground)
