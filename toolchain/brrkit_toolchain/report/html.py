"""Pages of HTML: a template, filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def render_page(
    template: str,
    filters: Mapping[str, Callable[..., str]],
    *,
    package: str | None = None,
    **values: Any,
) -> str:
    """Return a page that needs nothing else: no script, no network.

    Args:
        template: the name of its file.
        filters: of the template, by name.
        package: whose folder has it; else, and what it includes, it is one of ``templates``.
        **values: what the template names; ``version``, that of brrkit, is there besides.
    """
    loaders = [PackageLoader(__package__, "templates")]
    if package is not None:
        loaders.insert(0, PackageLoader(package, ""))
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(template).render(version=version("brrkit"), **values)
