"""Pages of HTML: a template, filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render_page(template: str, filters: Mapping[str, Callable[..., str]], **values: Any) -> str:
    """Return a page that needs nothing else: no script, no network.

    Args:
        template: the name of its file, in this folder.
        filters: of the template, by name.
        **values: what the template names; ``version``, that of brrkit, is there besides.
    """
    environment = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(template).render(version=version("brrkit"), **values)
